import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { paymentProviders } from '../../config/paymentProviders';
import type { VariableTexts } from '../../config/variables';

type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of an installation, from the user's variables and defaults. */
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
  /** The grace time of a part between SIGTERM and SIGKILL. */
  readonly stopWithinMs: number;
}

/** The addresses and secrets of a running installation. Undefined: not started by the launcher. */
export interface Wiring {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Encrypts the secrets in the database. */
  readonly secretsKey: string;
  readonly smtpPort: number | undefined;
  readonly gateway: { readonly url: string; readonly secretKey: string; readonly callbackToken: string } | undefined;
}

/** Returns the address for callbacks of payment providers, without the provider's name at the end. */
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

/** Returns the variables of every payment provider, with the values of the sandbox. */
export function providerVariables(sandbox: Wiring['gateway']): VariableTexts {
  return Object.fromEntries(
    Object.values(paymentProviders).flatMap(({ baseUrl, secretKey, callbackSecret }) => [
      [baseUrl.name, sandbox?.url],
      [secretKey.name, sandbox?.secretKey],
      [callbackSecret.name, sandbox?.callbackToken],
    ]),
  );
}

/** Returns the variables for the API, the worker and the CLI. A value that the user has set takes precedence. */
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
