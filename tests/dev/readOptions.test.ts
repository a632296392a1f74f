import { parseOptions } from '../../bench/options';
import { HelpRequested } from '../../dev/readOptions';

const errorOf = (args: string[]): unknown => {
  try {
    return parseOptions(args, ['get']);
  } catch (error) {
    return error;
  }
};

test('--help › is no error but the usage, whatever else is given', () => {
  for (const args of [['--help'], ['--quick', '--help'], ['--wrong', '--help']]) {
    expect(errorOf(args)).toBeInstanceOf(HelpRequested);
    expect(errorOf(args)).toHaveProperty('message', expect.stringMatching(/^npm run bench -- \[options\]\n {2}--only/));
  }
});

test('an option that is unknown, or has no usable value › is an error with the usage', () => {
  for (const args of [['--wrong'], ['--rounds', 'x'], ['--only', 'none']]) {
    expect(errorOf(args)).not.toBeInstanceOf(HelpRequested);
    expect(errorOf(args)).toHaveProperty('message', expect.stringContaining('\n\nnpm run bench -- [options]'));
  }
});
