import { readDatabaseUrl } from './databaseUrl';
import { files } from './files';
import { checkedBy, converted, flag, httpUrl, keptDays, list, oneOf, optional, splitList, text, whole } from './kinds';
import { limits, stored } from './limits';
import { operator } from './operator';
import { readRedisUrl, redisForms } from './redisUrl';
import { secretsKeys } from './secretsKeys';
import { tracing } from './tracing';
import { readBy, type Group, type NamesOf, type ValuesOf } from './variable';
import { webhooks } from './webhooks';
import { chrome, email, gateway, worker } from './workers';

const forAll = readBy('api', 'worker', 'tool');
const forServers = readBy('api', 'worker');
const forApi = readBy('api');

const everyProcess = {
  environment: forServers(
    'NODE_ENV',
    oneOf(['development', 'test', 'production']),
    'development',
    '`production` demands `PUBLIC_URL` and `SECRETS_KEY`, and that Chromium runs in its own sandbox.',
  ),
  logLevel: forServers(
    'LOG_LEVEL',
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'The least important lines that are logged.',
  ),
  host: forServers(
    'HOST',
    text('an IP address or a host name'),
    '127.0.0.1',
    'The address to listen on. The Docker image sets `0.0.0.0`, all addresses of the machine.',
  ),
  /** Base64. The first key encrypts; all of them decrypt. */
  secretsKeys: forAll(
    'SECRETS_KEY',
    secretsKeys,
    '',
    'Encrypts the secrets of webhook endpoints in the database. [A new key](install.md#the-key-of-secrets) goes before the old one. Without a key no endpoint can be made.',
    {
      secret: true,
      required: {
        where: 'with `NODE_ENV=production` by the API, and by workers that serve `webhook`',
        applies: ({ purpose, textOf }) =>
          textOf('NODE_ENV') === 'production' &&
          (purpose === 'api' || (purpose === 'worker' && splitList(textOf('WORKER_QUEUES')).includes('webhook'))),
        remedy: '; set a key that you keep, for example of `openssl rand -base64 32`',
      },
    },
  ),
  shutdownTimeoutMs: forServers(
    'SHUTDOWN_TIMEOUT_MS',
    whole(100, 600_000, 'milliseconds', 20_000),
    '20000',
    'How long a process may take to stop after SIGTERM. Work that is still running then is cut off.',
  ),
};

const api = {
  logRequests: forApi(
    'LOG_REQUESTS',
    oneOf(['errors', 'slow', 'all']),
    'slow',
    'The requests that get [a line in the log](run.md#requests): with a 5xx response, also those that took more than a second, or all.',
  ),
  apiDocs: forApi(
    'API_DOCS',
    flag,
    'true',
    '`true`: `/docs` is a page that describes the interface and tries requests, and `/` leads browsers there. `false`: both are 404.',
  ),
  port: forApi('PORT', whole(0, 65_535, 'a TCP port', 3000), '3000', 'The port of the API. `0` takes any free port.'),
  publicUrl: forAll(
    'PUBLIC_URL',
    httpUrl('https://billing.example.com'),
    '',
    'The address under which users and the callbacks of the gateway reach the API. Empty: `http://127.0.0.1:$PORT`, and e-mails have no link to the page of their invoice.',
    {
      required: {
        where: 'by the API with `NODE_ENV=production`',
        applies: ({ purpose, textOf }) => purpose === 'api' && textOf('NODE_ENV') === 'production',
        remedy: '; in production set it to the address under which users reach the API',
      },
    },
  ),
  trustProxy: forApi(
    'TRUST_PROXY',
    flag,
    'false',
    "`true` behind exactly one reverse proxy: the last address in `X-Forwarded-For` is then the client's.",
  ),
  corsOrigins: forApi(
    'CORS_ORIGINS',
    list('a comma-separated list, for example https://app.example.com'),
    '',
    'The origins whose pages may call the API.',
  ),
  /** Requests a second of one company; 0 is off. */
  rateLimitPerSecond: forApi(
    'RATE_LIMIT_PER_SECOND',
    whole(0, 1_000_000, 'requests a second of one company, 0 for no limit', 50),
    '0',
    'How many requests one company may send, with all of its API keys together. Further ones get 429.',
  ),
  jobWaitMs: forApi(
    'JOB_WAIT_MS',
    whole(1, 120_000, 'milliseconds', 25_000),
    '25000',
    'How long a request waits for its job or PDF. After that it gets 202, for a PDF 503.',
  ),
};

const mysql = {
  databaseUrl: forAll(
    'DATABASE_URL',
    checkedBy(readDatabaseUrl, 'mysql://user:password@host:3306/database'),
    'mysql://root@127.0.0.1:3306/invoicing',
    'The database, of MySQL 8 or MariaDB 10.6+. With `?ssl-mode=VERIFY_IDENTITY` for [TLS](install.md#mysql). User and password are [parts of a URL](install.md#passwords-in-urls).',
    { secret: true },
  ),
  /** Null: everything is read from `databaseUrl`. */
  databaseReadUrl: readBy('api', 'tool')(
    'DATABASE_READ_URL',
    optional(checkedBy(readDatabaseUrl, 'mysql://user:password@host:3306/database')),
    '',
    '[A replica](install.md#a-replica-for-reads) of the database, for lists, reports and files. Empty: all is read from `DATABASE_URL`.',
    { secret: true },
  ),
  databasePoolSize: forAll(
    'DATABASE_POOL_SIZE',
    whole(1, 1000, 'connections of one process', 20),
    '20',
    "Connections of one process, and as many to the replica. The sum of all processes must stay below MySQL's `max_connections`.",
  ),
  databaseTimeoutMs: forAll(
    'DATABASE_TIMEOUT_MS',
    whole(100, 600_000, 'milliseconds', 15_000),
    '15000',
    'How long a statement may take. After that its connection is closed, a request gets 503, and the server ends it.',
  ),
};

const redis = {
  redisUrl: forAll(
    'REDIS_URL',
    checkedBy(readRedisUrl, redisForms),
    'redis://127.0.0.1:6379',
    'One Redis or Valkey server, Sentinels, or a Redis Cluster: [how each is written](install.md#redis). `rediss` in place of `redis` for TLS, `/3` at the end for database 3. User and password are [parts of a URL](install.md#passwords-in-urls).',
    { secret: true },
  ),
  redisPrefix: forAll(
    'REDIS_PREFIX',
    text('text, for example {acme}'),
    '{invoicing}',
    'The beginning of every key, so that other programs can use the same database. In a Redis Cluster without its braces, or followed by the name of a queue: `{invoicing:email}`.',
  ),
};

const retention = {
  /** Bytes of the receipts of one company; Infinity for no limit. */
  receiptsQuotaBytes: forApi(
    'RECEIPTS_QUOTA_MB',
    converted(whole(0, 1_000_000_000, 'MiB of one company, 0 for no limit', 10_240), (mebibytes) =>
      mebibytes === 0 ? Infinity : mebibytes * 1024 * 1024,
    ),
    '10240',
    'How much the receipts of one company may take, each at least 4 KiB. Further uploads get 409 `limit_reached`.',
  ),
  pdfRetentionDays: readBy('worker')(
    'PDF_RETENTION_DAYS',
    whole(1, 36_500, 'days', 30),
    '30',
    'A cached PDF is removed when it was not downloaded for this long. It is rendered again when needed.',
  ),
  jobRetentionDays: readBy('worker')(
    'JOB_RETENTION_DAYS',
    whole(1, 36_500, 'days', 30),
    '30',
    'Done jobs are removed after this, failed and uncertain ones after ten times as long.',
  ),
  /** Days for which events are kept; Infinity for ever. */
  eventsKeptDays: readBy('worker')(
    'EVENTS_KEPT_DAYS',
    keptDays,
    '0',
    'Events are removed from the feed and the timelines after this. [What follows](run.md#how-much-is-kept).',
  ),
  /** Days for which e-mails that are settled are kept; Infinity for ever. */
  emailsKeptDays: readBy('worker')(
    'EMAILS_KEPT_DAYS',
    keptDays,
    '0',
    'E-mails are removed from the lists of their invoices after this, once their jobs are removed.',
  ),
};

/** Every environment variable of the service, in the shape of its configuration. */
export const variables = {
  ...everyProcess,
  ...api,
  operator,
  limits,
  ...mysql,
  ...redis,
  files,
  stored,
  ...retention,
  worker,
  email,
  gateway,
  webhooks,
  chrome,
  tracing,
} satisfies Group;

/** The same variables under the headings of the documentation. */
export const sections: Readonly<Record<string, Group>> = {
  'API and workers': everyProcess,
  API: api,
  'Operator port': operator,
  'Limits of an API process': limits,
  MySQL: mysql,
  Redis: redis,
  Files: files,
  'Limits of what a company stores': stored,
  'Quota and retention': retention,
  Workers: worker,
  'E-mail': email,
  'Payment gateway': gateway,
  Webhooks: webhooks,
  Chromium: chrome,
  Traces: tracing,
};

/** The values of all variables, before derived values are added. */
export type Values = ValuesOf<typeof variables>;

/** The texts of some variables, by name. */
export type VariableTexts = { readonly [Name in NamesOf<typeof variables>]?: string | undefined };
