import { join } from 'node:path';
import type { VariableTexts } from '../../config/variables';

export interface ProductionSettings {
  dataDir: string;
  databaseUrl: string;
  redisUrl: string;
  smtpUrl: string;
  port: number;
}

/**
 * Returns the variables of a process as in production. Every variable that names a server is set, so that none of this
 * environment is used.
 */
export function productionVariables(given: ProductionSettings) {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${given.port}`,
    PORT: String(given.port),
    OPERATOR_PORT: '',
    DATABASE_URL: given.databaseUrl,
    REDIS_URL: given.redisUrl,
    DATA_DIR: given.dataDir,
    SECRETS_KEY: Buffer.alloc(32, 'throw-away').toString('base64'),
    // Receivers of webhooks are on this machine.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    FILES_DIR: join(given.dataDir, 'files'),
    RATE_LIMIT_PER_SECOND: '0',
    GATEWAY_RATE_PER_SECOND: '0',
    EMAIL_RECIPIENTS_PER_DAY: '0',
    WORKER_QUEUES: '',
    EMAIL_TRANSPORT: 'smtp',
    SMTP_URL: given.smtpUrl,
    MAIL_FROM: '',
    XENDIT_BASE_URL: 'http://127.0.0.1:1',
    XENDIT_SECRET_KEY: 'none',
    CHROME_ALLOW_NO_SANDBOX: 'true',
  } satisfies VariableTexts;
}
