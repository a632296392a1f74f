import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { paymentProviders } from '../../config/paymentProviders';
import type { VariableTexts } from '../../config/variables';

type Environment = Readonly<Record<string, string | undefined>>;

/** What an installation consists of, from the user's variables: what he set wins, the rest is made for him. */
export interface Plan {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** False when the user named a mail server or SendGrid: then messages go to real people. */
  readonly catchMail: boolean;
  /** False when the user named a gateway account. */
  readonly sandboxGateway: boolean;
  /** How long a part may take to end in order. */
  readonly stopWithinMs: number;
}

/** Where the parts of a running installation are. Undefined: not one of ours. */
export interface Wiring {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Encrypts the secrets in the database. */
  readonly secretsKey: string;
  readonly smtpPort: number | undefined;
  readonly gateway: { readonly url: string; readonly secretKey: string; readonly callbackToken: string } | undefined;
}

/** Where `<base>` takes the callbacks of payment providers, without the provider's name. */
export const callbackUrlOf = (baseUrl: string) => `${baseUrl}/webhooks/gateway`;

/**
 * Decides what to start. `port` is the one to use; the folder is absolute.
 * @throws {ConfigurationError} when a variable that the user set is wrong.
 */
export function makePlan(given: Environment, dataDir: string, port: number): Plan {
  const { host, email, shutdownTimeoutMs } = loadConfig(given);
  const reachable = ['0.0.0.0', '::', 'localhost'].includes(host) ? '127.0.0.1' : host;
  return {
    dataDir,
    host,
    port,
    baseUrl: `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`,
    databaseUrl: given['DATABASE_URL'] || undefined,
    redisUrl: given['REDIS_URL'] || undefined,
    catchMail: email.smtpUrl === '' && email.transport === 'smtp',
    sandboxGateway: Object.values(paymentProviders).every(
      ({ secretKey, baseUrl }) => !given[secretKey.name] && !given[baseUrl.name],
    ),
    stopWithinMs: shutdownTimeoutMs + 5_000,
  };
}

/** The variables of every payment provider: those of the sandbox, if there is one. */
export function providerVariables(sandbox: Wiring['gateway']): VariableTexts {
  return Object.fromEntries(
    Object.values(paymentProviders).flatMap(({ baseUrl, secretKey, callbackSecret }) => [
      [baseUrl.name, sandbox?.url],
      [secretKey.name, sandbox?.secretKey],
      [callbackSecret.name, sandbox?.callbackToken],
    ]),
  );
}

/** The variables that the launcher makes for the API, the worker and the CLI, without those that the user set. */
export function serviceVariables(given: Environment, plan: Plan, wiring: Wiring): Record<string, string> {
  const made: VariableTexts = {
    DATA_DIR: plan.dataDir,
    FILES_DIR: join(plan.dataDir, 'files'),
    SECRETS_KEY: wiring.secretsKey,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    PUBLIC_URL: plan.baseUrl,
    DATABASE_URL: wiring.databaseUrl,
    REDIS_URL: wiring.redisUrl,
    SMTP_URL: wiring.smtpPort === undefined ? undefined : `smtp://127.0.0.1:${wiring.smtpPort}`,
    ...providerVariables(wiring.gateway),
  };
  return Object.fromEntries(
    Object.entries(made).flatMap(([name, value]) => {
      const used = name === 'DATA_DIR' ? value : given[name] || value;
      return used === undefined ? [] : [[name, used]];
    }),
  );
}
