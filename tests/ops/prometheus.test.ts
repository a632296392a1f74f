import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { findBinary } from '../../dev/servers/findBinary';
import { freePort } from '../../dev/servers/freePort';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import { startServerProcess } from '../../dev/servers/serverProcess';
import { eventually } from '../support/eventually';
import { atEnd } from '../support/installation';
import { operatorToken, startOperator } from '../support/operator';
import { Effects } from '../support/workers';

/** The first run on a machine installs Prometheus. */
jest.setTimeout(300_000);

const run = promisify(execFile);
const opsFile = (name: string): string => join(projectRoot, 'ops', name);

interface Dashboard {
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: { title: string; targets?: { expr: string; datasource: { uid: string } }[] }[];
}
const dashboard = JSON.parse(readFileSync(opsFile('grafana.json'), 'utf8')) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ ...target, ...panel })));

let prometheus: string;
let promtool: string;

beforeAll(async () => {
  await installMissingServers(['prometheus'], (line) => process.stderr.write(`${line}\n`));
  prometheus = findBinary('prometheus') ?? '';
  promtool = findBinary('promtool') ?? '';
});

describe('ops/alerts.yml', () => {
  test('promtool › accepts every rule, and the rules fire when they should', async () => {
    expect((await run(promtool, ['check', 'rules', opsFile('alerts.yml')])).stdout).toContain('SUCCESS');
    expect((await run(promtool, ['test', 'rules', opsFile('alerts.test.yml')])).stdout).toContain('SUCCESS');
  });

  test('every alert › says what happened and what to do', () => {
    const rules = readFileSync(opsFile('alerts.yml'), 'utf8').split('- alert: ').slice(1);
    expect(rules.length).toBeGreaterThanOrEqual(8);
    for (const rule of rules) {
      expect(rule).toMatch(/^ {10}summary: /m);
      expect(rule).toMatch(/^ {10}runbook: /m);
      expect(rule).toMatch(/severity: (?:page|ticket)/);
    }
  });
});

describe('ops/grafana.json', () => {
  test('the dashboard › lets its reader choose the data source, and every query uses it', () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
    expect(new Set(targets.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']));
  });

  test('a Prometheus that scrapes a running API and worker › has data for every query, and every alert can be evaluated', async () => {
    const url = await startPrometheus(await startInstallation());
    const query = async <T>(path: string): Promise<T> => {
      const response = await fetch(`${url}/api/v1/${path}`);
      const body = (await response.json()) as { status: string; error?: string; data: T };
      if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
      return body.data;
    };
    const seriesOf = async (expression: string): Promise<unknown[]> =>
      (await query<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`)).result;

    await eventually(async () => (await seriesOf('count_over_time(up{job="invoicing"}[1m]) >= 3')).length === 2);
    expect(await seriesOf('up{job="invoicing"} == 1')).toHaveLength(2);
    const empty: string[] = [];
    for (const { title, expr } of targets) {
      const series = await seriesOf(expr.replaceAll('$__rate_interval', '1m'));
      if (series.length === 0) empty.push(`${title}: ${expr}`);
    }
    expect(empty).toEqual([]);

    const rules = await eventually(async () => {
      const { groups } = await query<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
      const all = groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : null;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});

/** Runs the API, the worker and some work in this process. Returns the operator ports. */
async function startInstallation(): Promise<string[]> {
  const effects = await Effects.start();
  await effects.startPool(['email', 'pdf', 'payment-link', 'schedule']);
  effects.startSchedules();
  const ports = [await startOperator(), await startOperator()];
  const { as, invoice } = await effects.invoice();
  await as.post(`/api/invoices/${invoice.id}/send-email`).expect(200);
  await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
  // Collects garbage at least once.
  await eventually(async () => [...(await ports[0]!.samples()).keys()].some((key) => key.startsWith('nodejs_gc_')));
  return ports.map(({ url }) => new URL(url).host);
}

async function startPrometheus(scraped: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [opsFile('alerts.yml')],
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
  return url;
}
