import { filesConfig } from './files';
import { ConfigurationError } from './ConfigurationError';
import { redisKeys } from './redisKeys';
import { secretParts } from './secrets';
import { tracingConfig } from './tracing';
import { readGroup, variablesIn, type Purpose } from './variable';
import { variables, type Values } from './variables';
import { requireNode } from './version';

export type { Purpose };

/** Everything that can be configured, checked and typed. Durations are in milliseconds unless the name says otherwise. */
export type Config = Readonly<ReturnType<typeof complete>>;

/** A variable that is wrong or missing. */
export interface VariableProblem {
  readonly variable: string;
  /** Names the variable and a remedy. */
  readonly message: string;
}

/** The configuration that was read from an environment, with its problems. */
export interface ReadConfig {
  /** Usable if there are no problems. A variable with a wrong value has its default here. */
  readonly config: Config;
  readonly problems: readonly VariableProblem[];
}

/**
 * Reads the environment (`process.env` unless another is given). An empty variable counts as absent.
 * @throws {ConfigurationError} naming every variable that is wrong, or missing for the purpose, and a right value for it.
 */
export function loadConfig(
  environment: Record<string, string | undefined> = process.env,
  purpose: Purpose = 'tool',
): Config {
  const { config, problems } = readConfig(purpose, environment);
  if (problems.length > 0) throw new ConfigurationError(problems.map(({ message }) => message));
  return config;
}

/** Reads the environment like {@link loadConfig}, but returns its problems instead of throwing them. */
export function readConfig(
  purpose: Purpose,
  environment: Record<string, string | undefined> = process.env,
): ReadConfig {
  const texts = new Map(variablesIn(variables).map((v) => [v.name, environment[v.name] || v.default]));
  const textOf = (name: string): string => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`${name} is not in the list of variables`);
    return text;
  };
  const problems: VariableProblem[] = [];
  const values = readGroup(variables, ({ name, kind, secret, required, default: preset }) => {
    const text = textOf(name);
    if (text === '' && required?.applies({ purpose, textOf })) {
      problems.push({ variable: name, message: `${name} is empty${required.remedy}` });
    }
    try {
      return kind.read(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ variable: name, message: `${name}${secret ? '' : `=${text}`} ${error.message}` });
      return kind.read(preset);
    }
  });
  const secrets = variablesIn(variables).flatMap(({ name, secret }) => (secret ? secretParts(textOf(name)) : []));
  return { config: deepFreeze(complete(values, secrets)), problems };
}

/** {@link loadConfig} of this process's own environment, on a Node.js that {@link requireNode} lets run. */
export function loadConfigFor(purpose: Purpose): Config {
  requireNode();
  return loadConfig(process.env, purpose);
}

/** Returns the file of further certificate authorities that Node.js itself reads (`NODE_EXTRA_CA_CERTS`), or an empty text. */
export function extraAuthoritiesFile(): string {
  return process.env['NODE_EXTRA_CA_CERTS'] ?? '';
}

/** Adds the values that are derived from several variables. */
function complete(values: Values, secrets: readonly string[]) {
  const { publicUrl, port, files, worker, tracing, redisUrl, redisPrefix } = values;
  return {
    ...values,
    /** Texts that logs must not show. */
    secrets,
    tracing: tracingConfig(tracing),
    publicUrl: publicUrl || `http://127.0.0.1:${port}`,
    /** The base of links in messages; null where `PUBLIC_URL` is not set. */
    linkBase: publicUrl || null,
    files: filesConfig(files),
    ...redisKeys(redisUrl, redisPrefix),
    // A second scan of the calendar in one process would wait for the first.
    worker: { ...worker, concurrency: { ...worker.concurrency, schedule: 1 } },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object);
  return Object.freeze(value);
}
