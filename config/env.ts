import Ajv, { type JSONSchemaType } from 'ajv';
import { readDatabaseUrl } from './databaseUrl';
import { isEmailAddress } from './emailAddress';
import {
  fileVariables,
  filesConfig,
  missingForFiles,
  receiptsQuotaBytes,
  type FilesConfig,
  type FileVariables,
} from './files';
import { limitsConfig, limitVariables, type LimitsConfig, type LimitVariables } from './limits';
import { queueNames, type QueueName } from './queues';
import { trimEndSlashes } from './trimEndSlashes';

/** Everything that can be configured, checked and typed. Durations are in milliseconds unless the name says otherwise. */
export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** The base of every link that leaves the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly trustProxy: boolean;
  readonly corsOrigins: readonly string[];
  /** Requests a second for one API key; 0 is off. */
  readonly rateLimitPerSecond: number;
  readonly limits: LimitsConfig;
  /** How long a request waits for its job before it is answered with 202. */
  readonly jobWaitMs: number;
  readonly shutdownTimeoutMs: number;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  /** A statement that has no answer after this long counts as lost, and its connection is given up. */
  readonly databaseTimeoutMs: number;
  readonly redisUrl: string;
  /** Prefix of every Redis key; in braces so that Redis Cluster keeps the keys of a queue together. */
  readonly redisPrefix: string;
  /** The store of PDFs, logos and receipts; the API and the workers must see the same one. */
  readonly files: FilesConfig;
  /** Bytes that the receipts of one company may take; Infinity for no limit. */
  readonly receiptsQuotaBytes: number;
  /** Days after which a cached PDF that nobody asked for is removed. */
  readonly pdfRetentionDays: number;
  /** Days for which ended jobs are kept. */
  readonly jobRetentionDays: number;
  readonly worker: {
    readonly queues: readonly QueueName[];
    readonly concurrency: Readonly<Record<QueueName, number>>;
    readonly healthPort: number;
  };
  readonly email: {
    readonly transport: 'smtp' | 'sendgrid';
    readonly smtpUrl: string;
    readonly sendgridApiKey: string;
    readonly sendgridBaseUrl: string;
    /** Address in `From`; empty means the company's own. The company's is then `Reply-To`. */
    readonly fromAddress: string;
    readonly timeoutMs: number;
  };
  readonly gateway: {
    readonly provider: 'xendit';
    readonly xenditBaseUrl: string;
    readonly xenditSecretKey: string;
    readonly xenditCallbackToken: string;
    readonly timeoutMs: number;
    /** Seconds for which a new payment link can be paid. */
    readonly linkDurationSeconds: number;
  };
  readonly chrome: {
    /** A Chrome or Chromium binary; empty means: find one. */
    readonly path: string;
    /** Allows running without Chromium's own sandbox (root in a container) in production. */
    readonly allowNoSandbox: boolean;
  };
}

/** What a process is for: each needs other variables; tools (migrations, commands) need none but the servers. */
export type Purpose = 'api' | 'worker' | 'tool';

/** Thrown by {@link loadConfig}: every problem at once, each with how to put it right. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

interface Variables extends FileVariables, LimitVariables {
  NODE_ENV: 'development' | 'test' | 'production';
  LOG_LEVEL: string;
  HOST: string;
  PORT: number;
  PUBLIC_URL: string;
  TRUST_PROXY: boolean;
  CORS_ORIGINS: string;
  RATE_LIMIT_PER_SECOND: number;
  JOB_WAIT_MS: number;
  SHUTDOWN_TIMEOUT_MS: number;
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  DATABASE_TIMEOUT_MS: number;
  REDIS_URL: string;
  REDIS_PREFIX: string;
  PDF_RETENTION_DAYS: number;
  JOB_RETENTION_DAYS: number;
  WORKER_QUEUES: string;
  EMAIL_CONCURRENCY: number;
  PDF_CONCURRENCY: number;
  PAYMENT_LINK_CONCURRENCY: number;
  WORKER_HEALTH_PORT: number;
  EMAIL_TRANSPORT: 'smtp' | 'sendgrid';
  SMTP_URL: string;
  SENDGRID_API_KEY: string;
  SENDGRID_BASE_URL: string;
  MAIL_FROM: string;
  EMAIL_TIMEOUT_MS: number;
  GATEWAY_PROVIDER: 'xendit';
  XENDIT_BASE_URL: string;
  XENDIT_SECRET_KEY: string;
  XENDIT_CALLBACK_TOKEN: string;
  GATEWAY_TIMEOUT_MS: number;
  PAYMENT_LINK_DURATION_SECONDS: number;
  CHROME_PATH: string;
  CHROME_ALLOW_NO_SANDBOX: boolean;
}

const text = (defaultValue = '') => ({ type: 'string', default: defaultValue }) as const;
const pattern = (regex: string, defaultValue: string, description: string) =>
  ({ type: 'string', pattern: regex, default: defaultValue, description }) as const;
const whole = (defaultValue: number, minimum: number, maximum: number, description: string) =>
  ({ type: 'integer', default: defaultValue, minimum, maximum, description }) as const;
const flag = { type: 'boolean', default: false, description: 'true or false' } as const;
const oneOf = <T extends string>(values: readonly T[], defaultValue: T) =>
  ({ type: 'string', enum: values, default: defaultValue, description: `one of ${values.join(', ')}` }) as const;
const httpUrl = (defaultValue: string) =>
  pattern('^(https?://[^\\s/]+.*)?$', defaultValue, 'an http(s) URL, for example https://billing.example.com');

const schema: JSONSchemaType<Variables> = {
  type: 'object',
  properties: {
    NODE_ENV: oneOf(['development', 'test', 'production'], 'development'),
    LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    HOST: text('127.0.0.1'),
    PORT: whole(3000, 0, 65535, 'a TCP port, for example 3000'),
    PUBLIC_URL: httpUrl(''),
    TRUST_PROXY: flag,
    CORS_ORIGINS: text(),
    RATE_LIMIT_PER_SECOND: whole(0, 0, 1_000_000, 'requests a second for one API key, 0 for no limit'),
    JOB_WAIT_MS: whole(25_000, 1, 120_000, 'milliseconds, for example 25000'),
    SHUTDOWN_TIMEOUT_MS: whole(20_000, 100, 600_000, 'milliseconds, for example 20000'),
    DATABASE_URL: pattern(
      '^(mysql|mariadb)://[^\\s]+/[^\\s/?]+(\\?[^\\s]*)?$',
      'mysql://root@127.0.0.1:3306/invoicing',
      'mysql://user:password@host:3306/database, with TLS mysql://…/database?ssl-mode=VERIFY_IDENTITY',
    ),
    DATABASE_POOL_SIZE: whole(20, 1, 1000, 'connections of one process, for example 20'),
    DATABASE_TIMEOUT_MS: whole(15_000, 100, 600_000, 'milliseconds, for example 15000'),
    REDIS_URL: pattern('^rediss?://[^\\s]+$', 'redis://127.0.0.1:6379', 'redis://user:password@host:6379/0'),
    REDIS_PREFIX: text('{invoicing}'),
    ...fileVariables,
    ...limitVariables,
    PDF_RETENTION_DAYS: whole(30, 1, 36_500, 'days, for example 30'),
    JOB_RETENTION_DAYS: whole(30, 1, 36_500, 'days, for example 30'),
    WORKER_QUEUES: pattern('^[a-z, -]*$', queueNames.join(','), `a comma-separated choice of ${queueNames.join(', ')}`),
    EMAIL_CONCURRENCY: whole(10, 1, 1000, 'jobs at once, for example 10'),
    PDF_CONCURRENCY: whole(2, 1, 64, 'pages at once, about one a core, for example 2'),
    PAYMENT_LINK_CONCURRENCY: whole(10, 1, 1000, 'jobs at once, for example 10'),
    WORKER_HEALTH_PORT: whole(0, 0, 65535, 'a TCP port for /healthz and /readyz of the worker, 0 for none'),
    EMAIL_TRANSPORT: oneOf(['smtp', 'sendgrid'], 'smtp'),
    SMTP_URL: pattern('^(smtps?://[^\\s]+)?$', '', 'smtp://user:password@host:587'),
    SENDGRID_API_KEY: text(),
    SENDGRID_BASE_URL: httpUrl('https://api.sendgrid.com'),
    MAIL_FROM: {
      type: 'string',
      format: 'email-address',
      default: '',
      description: 'an e-mail address, for example billing@example.com',
    },
    EMAIL_TIMEOUT_MS: whole(10_000, 100, 120_000, 'milliseconds, for example 10000'),
    GATEWAY_PROVIDER: oneOf(['xendit'], 'xendit'),
    XENDIT_BASE_URL: httpUrl('https://api.xendit.co'),
    XENDIT_SECRET_KEY: text(),
    XENDIT_CALLBACK_TOKEN: text(),
    GATEWAY_TIMEOUT_MS: whole(10_000, 100, 120_000, 'milliseconds, for example 10000'),
    PAYMENT_LINK_DURATION_SECONDS: whole(30 * 86_400, 60, 365 * 86_400, 'seconds, for example 2592000 (30 days)'),
    CHROME_PATH: text(),
    CHROME_ALLOW_NO_SANDBOX: flag,
  },
  required: [],
} as unknown as JSONSchemaType<Variables>;

const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true });
ajv.addFormat('email-address', (address) => address === '' || isEmailAddress(address));
const validate = ajv.compile<Variables>(schema);

function problemOf(name: string, value: unknown, message: string): string {
  const hint = (schema.properties as Record<string, { description?: string }>)[name]?.description;
  const secret = /KEY|TOKEN|URL|PASSWORD/.test(name);
  return `${name}${secret ? '' : `=${String(value)}`} ${message}${hint ? `; expected ${hint}` : ''}`;
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Reads the environment (`process.env` unless another is given). An empty variable counts as absent.
 * @throws {ConfigurationError} naming every variable that is wrong, or missing for the purpose, and a right value for it.
 */
export function loadConfig(
  environment: Record<string, string | undefined> = process.env,
  purpose: Purpose = 'tool',
): Config {
  const given = Object.keys(schema.properties as object).flatMap((name) =>
    environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]] as const],
  );
  const v = Object.fromEntries(given) as unknown as Variables;
  const problems: string[] = [];
  if (!validate(v)) {
    for (const error of validate.errors ?? []) {
      const name = error.instancePath.slice(1);
      problems.push(problemOf(name, environment[name], error.message ?? 'is not valid'));
    }
  }
  const queues = splitList(v.WORKER_QUEUES);
  for (const queue of queues.filter((name) => !queueNames.includes(name as QueueName))) {
    problems.push(`WORKER_QUEUES names "${queue}"; expected a comma-separated choice of ${queueNames.join(', ')}`);
  }
  if (problems.length === 0) problems.push(...wrongInDatabaseUrl(v));
  problems.push(...missingForFiles(v));
  if (purpose === 'api') problems.push(...missingForApi(v));
  if (purpose === 'worker') problems.push(...missingForWorker(v, queues));
  if (problems.length > 0) throw new ConfigurationError(problems);

  const config: Config = {
    environment: v.NODE_ENV,
    logLevel: v.LOG_LEVEL,
    host: v.HOST,
    port: v.PORT,
    publicUrl: trimEndSlashes(v.PUBLIC_URL || `http://127.0.0.1:${v.PORT}`),
    trustProxy: v.TRUST_PROXY,
    corsOrigins: splitList(v.CORS_ORIGINS),
    rateLimitPerSecond: v.RATE_LIMIT_PER_SECOND,
    limits: limitsConfig(v),
    jobWaitMs: v.JOB_WAIT_MS,
    shutdownTimeoutMs: v.SHUTDOWN_TIMEOUT_MS,
    databaseUrl: v.DATABASE_URL,
    databasePoolSize: v.DATABASE_POOL_SIZE,
    databaseTimeoutMs: v.DATABASE_TIMEOUT_MS,
    redisUrl: v.REDIS_URL,
    redisPrefix: v.REDIS_PREFIX,
    files: filesConfig(v),
    receiptsQuotaBytes: receiptsQuotaBytes(v),
    pdfRetentionDays: v.PDF_RETENTION_DAYS,
    jobRetentionDays: v.JOB_RETENTION_DAYS,
    worker: {
      queues: queues as QueueName[],
      concurrency: {
        email: v.EMAIL_CONCURRENCY,
        pdf: v.PDF_CONCURRENCY,
        'payment-link': v.PAYMENT_LINK_CONCURRENCY,
        // A second sweep of one process would only wait for the first.
        schedule: 1,
      },
      healthPort: v.WORKER_HEALTH_PORT,
    },
    email: {
      transport: v.EMAIL_TRANSPORT,
      smtpUrl: v.SMTP_URL,
      sendgridApiKey: v.SENDGRID_API_KEY,
      sendgridBaseUrl: v.SENDGRID_BASE_URL,
      fromAddress: v.MAIL_FROM,
      timeoutMs: v.EMAIL_TIMEOUT_MS,
    },
    gateway: {
      provider: v.GATEWAY_PROVIDER,
      xenditBaseUrl: trimEndSlashes(v.XENDIT_BASE_URL),
      xenditSecretKey: v.XENDIT_SECRET_KEY,
      xenditCallbackToken: v.XENDIT_CALLBACK_TOKEN,
      timeoutMs: v.GATEWAY_TIMEOUT_MS,
      linkDurationSeconds: v.PAYMENT_LINK_DURATION_SECONDS,
    },
    chrome: { path: v.CHROME_PATH, allowNoSandbox: v.CHROME_ALLOW_NO_SANDBOX },
  };
  return deepFreeze(config);
}

/** {@link loadConfig} of this process's own environment. */
export function loadConfigFor(purpose: Purpose): Config {
  return loadConfig(process.env, purpose);
}

function wrongInDatabaseUrl({ DATABASE_URL }: Variables): string[] {
  try {
    readDatabaseUrl(DATABASE_URL);
    return [];
  } catch (error) {
    return [`DATABASE_URL ${(error as RangeError).message}`];
  }
}

function missingForApi(v: Variables): string[] {
  if (v.NODE_ENV !== 'production' || v.PUBLIC_URL) return [];
  return ['PUBLIC_URL is empty; in production set it to the address under which users reach the API'];
}

/** A worker needs what its queues call. */
function missingForWorker(v: Variables, queues: readonly string[]): string[] {
  const problems: string[] = [];
  const orLeaveOut = (queue: QueueName): string => `or leave "${queue}" out of WORKER_QUEUES`;
  if (queues.includes('email') && v.EMAIL_TRANSPORT === 'smtp' && !v.SMTP_URL) {
    problems.push(`SMTP_URL is empty; set the mail server, smtp://user:password@host:587, ${orLeaveOut('email')}`);
  }
  if (queues.includes('email') && v.EMAIL_TRANSPORT === 'sendgrid' && !v.SENDGRID_API_KEY) {
    problems.push(`SENDGRID_API_KEY is empty; set the key that SendGrid shows once, "SG.…", ${orLeaveOut('email')}`);
  }
  if (queues.includes('payment-link') && !v.XENDIT_SECRET_KEY) {
    problems.push(
      `XENDIT_SECRET_KEY is empty; set the secret key of your account, "xnd_…", ${orLeaveOut('payment-link')}`,
    );
  }
  return problems;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object);
  return Object.freeze(value);
}
