import { freePort } from '../../dev/servers/freePort';
import { openOperatorPort } from '../../operator';
import type { Services } from '../../shared/services';
import { atEnd, openTestServices, type InstallationOptions } from './installation';

export const operatorToken = 'secret-of-the-operator';

/** A response comes within two seconds, whatever is down; a busy machine gets more. */
const LONGEST_MS = 30_000;

/** An open operator port of this process. */
export interface TestOperator {
  services: Services;
  url: string;
  /** Sends a request with the token. */
  get(path: string): Promise<Response>;
  /** Returns the samples of `/metrics` by name and labels: `invoicing_queue_jobs{queue="email",state="waiting"}`. */
  samples(): Promise<Map<string, number>>;
}

/** Opens an operator port on services of its own; it closes after the file's last test. */
export async function startOperator({ env = {}, ...options }: InstallationOptions = {}): Promise<TestOperator> {
  const port = await freePort();
  const services = await openTestServices({
    env: { OPERATOR_PORT: String(port), OPERATOR_TOKEN: operatorToken, ...env },
    ...options,
  });
  const opened = await openOperatorPort(services);
  atEnd(() => opened.close());
  const url = `http://127.0.0.1:${port}`;
  const get = (path: string): Promise<Response> =>
    fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${operatorToken}` },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
  return { services, url, get, samples: async () => samplesOf(await (await get('/metrics')).text()) };
}

/** Reads the text format of Prometheus. */
export function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
