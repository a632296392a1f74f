import { buildProgram, leavesOf } from '../../cli/program';

const introduction = `# Command line

For operators. After reading this page you can create companies and keys, migrate the database, control queues and jobs, and run the
calendar from a shell. [repair.md](repair.md) says which command helps when. \`npm run docs\` generates this page from the \`--help\` of each
command.

\`\`\`sh
npm run -s cli -- jobs list --status failed
\`\`\`

- The result is text on a terminal. In a pipe, or with \`--json\`, it is JSON on stdout. The exit code is 0.
- A list on a terminal has a line for each record, and cuts a cell after 60 characters. One record, an error, and what a command has done
  are shown whole.
- \`counts verify\`, \`doctor\` and \`schedules run\` print a result and exit with 1 when they found a problem; \`jobs retry\` when it was stopped.
- Long work shows its progress on stderr, if that is a terminal. Ctrl-C stops \`jobs retry\` between two transactions.
- An error is on stderr, in the same form: exit code 1, or 2 for a wrong command line. A database that cannot be used is named with the
  reason that its server gives.
- While \`npm start\` runs in this folder, the CLI uses its servers. Variables that are set take precedence; elsewhere set them as
  [configuration](configuration.md) says.
- In the Docker image: \`docker compose exec api node dist/cli/index.js jobs list\`.
`;

/** Returns `docs/command-line.md`: the help of every command. */
export async function commandLinePage(): Promise<string> {
  return [introduction, ...leavesOf(await buildProgram()).map(section)].join('\n');
}

/** The text of `--help`, with its examples. */
function section({ path, command }: ReturnType<typeof leavesOf>[number]): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 110,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return `## ${path}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}
