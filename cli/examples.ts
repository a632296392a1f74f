/** Returns the examples at the end of a command's `--help`. */
export function examples(...commands: readonly string[]): string {
  const title = commands.length > 1 ? 'Examples' : 'Example';
  return `\n${title}:\n${commands.map((command) => `  cli ${command}`).join('\n')}`;
}
