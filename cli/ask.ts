import { createInterface } from 'node:readline/promises';
import { isForPeople } from './output';

/** A question, and the value of an empty line. */
export type Question = readonly [text: string, preset: string];

/**
 * Asks the person at the terminal, on stderr, one after the other, and returns the lines. The end of the input counts as empty
 * lines. Where no person is at both ends (a pipe, a script, `--json`) it asks nothing and returns the presets.
 */
export async function ask(questions: readonly Question[]): Promise<string[]> {
  const presets = questions.map(([, preset]) => preset);
  if (questions.length === 0 || !process.stdin.isTTY || !isForPeople(process.stderr)) return presets;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const lines = terminal[Symbol.asyncIterator]();
  const given: string[] = [];
  for (const [text, preset] of questions) {
    terminal.setPrompt(`${text} [${preset}]: `);
    terminal.prompt();
    const line = await lines.next();
    given.push((line.done === true ? '' : line.value.trim()) || preset);
  }
  terminal.close();
  return given;
}
