import { buildProgram, leavesOf } from '../../cli/program';

test('--json › is taken of every command, and is none of the options that its action gets', async () => {
  const program = await buildProgram();
  for (const { path, command } of leavesOf(program)) {
    const words = path.split(' ');
    expect(program.parseOptions([...words, '--json'])).toEqual({ operands: words, unknown: [] });
    expect(command.options.map((option) => option.attributeName())).not.toContain('json');
    expect(command.helpInformation()).toContain('--json');
  }
});
