import { ConfigurationError } from '../../config/ConfigurationError';
import { loadConfig, type Purpose } from '../../config/env';
import { variablesIn, type Group, type Variable } from '../../config/variable';
import { sections } from '../../config/variables';
import { code, table } from './table';

const introduction = `# Configuration

For operators. After reading this page you can set up the processes of an installation, and correct what a process reports when it
refuses to start. \`npm run docs\` generates this page from the descriptions in \`config/\`.

- The configuration is read from environment variables, once, when a process starts. A change needs a restart.
- A variable that is empty counts as absent: the default is used.
- A process needs only the variables whose "read by" names it. MySQL, Redis and the files must be the same for all processes.
- The value of a variable that is marked "Secret" does not appear in messages.
- \`npm start\` sets what is needed. Your own values take precedence.
- \`docker-compose.yml\` passes on the variables that it names, from a file \`.env\` beside it. Add others to its
  \`x-environment\`.

Every process checks all variables. When some are wrong it reports all of them, and exits with code 1:
`;

const wrong = { PORT: 'http', FILES_STORE: 's3', S3_REGION: 'eu-central-1' };

const startVariables = [
  ['API_TOKEN', 'a random one', 'The API key of the demo company.'],
  ['DEMO', 'none', '`empty`: the demo company gets no invoices and expenses.'],
  ['MAIL_CATCHER_SMTP_PORT', 'a free port', 'The port on which the mail catcher receives messages.'],
  ['MAIL_CATCHER_HTTP_PORT', 'a free port', 'The port of the inbox.'],
  ['SANDBOX_GATEWAY_PORT', 'a free port', 'The port of the sandbox gateway.'],
  ['EVENT_RECEIVER_PORT', 'a free port', 'The port of the event receiver.'],
  ['OPERATOR_PORT', 'a free port', 'The operator port of the API.'],
  ['WORKER_OPERATOR_PORT', 'a free port', 'The operator port of the worker.'],
] as const;

const startNotes = `- A free port stays the same from start to start while it is free.
- With \`SMTP_URL\` or \`EMAIL_TRANSPORT=sendgrid\` there is no mail catcher: messages go to real people.
- With \`XENDIT_SECRET_KEY\` or \`XENDIT_BASE_URL\` there is no sandbox gateway.
- With \`DATABASE_URL\` or \`REDIS_URL\` that server is used, and no private one is started.

A second installation runs beside the first one with its own folder and port:

\`\`\`sh
DATA_DIR=.data2 PORT=3100 npm start
\`\`\`

Every command for it needs the folder as well; without it the command works on the first one:

\`\`\`sh
DATA_DIR=.data2 npm run -s cli -- workers list
. .data2/demo.env
\`\`\`
`;

/** Returns `docs/configuration.md`: every environment variable, from the descriptions that also check it. */
export function configurationPage(): string {
  const start = Object.entries(wrong).map((pair) => pair.join('='));
  return [
    introduction,
    `\`\`\`text\n$ ${start.join(' ')} npm run -s start:api\n${refusal()}\n\`\`\`\n`,
    ...Object.entries(sections).map(([title, group]) => `## ${title}\n\n${variablesTable(group)}`),
    `## Only for \`npm start\`\n\n${table([
      ['variable', 'default', 'meaning'],
      ...startVariables.map(([name, preset, meaning]) => [code(name), preset, meaning]),
    ])}`,
    startNotes,
  ].join('\n');
}

/** Returns what a process prints for wrong variables. */
function refusal(): string {
  try {
    loadConfig(wrong, 'api');
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('the example of wrong variables is right');
}

const processNames: Record<Purpose, string> = { api: 'API', worker: 'workers', tool: 'CLI' };

function variablesTable(group: Group): string {
  return table([
    ['variable', 'values', 'default', 'read by', 'meaning'],
    ...variablesIn(group).map((variable) => [
      code(variable.name),
      variable.kind.values
        .split(' ')
        .map((word) => (/:\/\/|@/.test(word) ? code(word) : word))
        .join(' '),
      variable.default === '' ? 'none' : code(variable.default),
      variable.readBy.map((purpose) => processNames[purpose]).join(', '),
      meaningOf(variable),
    ]),
  ]);
}

function meaningOf({ meaning, required, secret }: Variable): string {
  return [meaning, required && `**Required ${required.where}.**`, secret && 'Secret.'].filter(Boolean).join(' ');
}
