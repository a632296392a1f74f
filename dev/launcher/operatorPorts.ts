import { join } from 'node:path';
import { freePort, portIfFree } from '../servers/freePort';
import { readEnvFile, writeEnvFile } from './envFile';

/** The operator ports of the API and of the worker. */
export interface OperatorPorts {
  readonly api: number;
  readonly worker: number;
}

/**
 * Returns the ports of `OPERATOR_PORT` and `WORKER_OPERATOR_PORT` or, where these are not set, those of the last start
 * while they are free.
 */
export async function chooseOperatorPorts(
  given: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): Promise<OperatorPorts> {
  const file = join(dataDir, 'operator-ports.env');
  const kept = readEnvFile(file);
  const choose = async (name: string): Promise<number> =>
    given[name] ? Number(given[name]) : ((await portIfFree(kept[name])) ?? (await freePort()));
  const api = await choose('OPERATOR_PORT');
  const worker = await choose('WORKER_OPERATOR_PORT');
  writeEnvFile(file, { OPERATOR_PORT: api, WORKER_OPERATOR_PORT: worker });
  return { api, worker };
}

/** The address of an operator port; undefined for none. */
export const operatorUrl = (port: number): string | undefined => (port === 0 ? undefined : `http://127.0.0.1:${port}`);
