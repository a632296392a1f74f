import { worthShowing } from '../../dev/launcher/partLog';

describe('what of a log is worth showing on the console', () => {
  test.each([
    ['{"level":30,"msg":"listening"}', 'detail', undefined],
    ['{"level":40,"msg":"slow"}', 'detail', 'warning: slow'],
    ['{"level":50,"err":{"message":"refused"},"msg":"job failed"}', 'detail', 'error: job failed (refused)'],
    ['{"level":50,"err":{"message":"refused"},"msg":"refused"}', 'detail', 'error: refused'],
    ['a line of a library', 'detail', undefined],
    ['    at Object.<anonymous>', 'problem', '    at Object.<anonymous>'],
    ['', 'problem', undefined],
  ] as const)('%s from %s → %s', (line, stream, shown) => {
    expect(worthShowing(line, stream)).toBe(shown);
  });

  test('a line that only begins like the logger’s is shown as it is', () => {
    expect(worthShowing('{"level":50, cut', 'detail')).toBe('{"level":50, cut');
  });
});
