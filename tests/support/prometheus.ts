import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../dev/servers/findBinary';
import { freePort } from '../../dev/servers/freePort';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import { startServerProcess } from '../../dev/servers/serverProcess';
import { atEnd } from './installation';
import { operatorToken } from './operator';

/** Installs Prometheus where it is missing, which takes a minute once. Returns the paths of its programs. */
export async function installPrometheus(): Promise<{ prometheus: string; promtool: string }> {
  await installMissingServers(['prometheus'], (line) => process.stderr.write(`${line}\n`));
  return { prometheus: findBinary('prometheus') ?? '', promtool: findBinary('promtool') ?? '' };
}

export interface TestPrometheus {
  /** Calls the HTTP API below `/api/v1/`. @throws {Error} with its words, for what it refuses. */
  readonly query: <T>(path: string) => Promise<T>;
  /** Returns the series of an expression, now. */
  readonly seriesOf: <T = unknown>(expression: string) => Promise<T[]>;
}

/** Starts a Prometheus that scrapes these operator ports every second and evaluates the rules as often. Ends with the file. */
export async function startPrometheus(scraped: readonly string[], rulesFile: string): Promise<TestPrometheus> {
  const { prometheus } = await installPrometheus();
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [
      {
        job_name: 'invoicing',
        authorization: { credentials: operatorToken },
        static_configs: [{ targets: scraped }],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const server = await startServerProcess({
    name: 'Prometheus',
    command: prometheus,
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    dir: folder,
    url,
    isReady: () =>
      fetch(`${url}/-/ready`).then(
        (response) => response.ok,
        () => false,
      ),
  });
  atEnd(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const query = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; error?: string; data: T };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  const seriesOf = async <T>(expression: string): Promise<T[]> =>
    (await query<{ result: T[] }>(`query?query=${encodeURIComponent(expression)}`)).result;
  return { query, seriesOf };
}
