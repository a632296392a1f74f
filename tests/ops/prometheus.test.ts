import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { eventually } from '../support/eventually';
import { startOperator } from '../support/operator';
import { installPrometheus, startPrometheus } from '../support/prometheus';
import { Effects } from '../support/workers';

/** The first run on a machine installs Prometheus. */
const run = promisify(execFile);
const opsFile = (name: string): string => join(projectRoot, 'ops', name);

interface Dashboard {
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: { title: string; targets?: { expr: string; datasource: { uid: string } }[] }[];
}
const dashboard = JSON.parse(readFileSync(opsFile('grafana.json'), 'utf8')) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ ...target, ...panel })));

let promtool: string;
beforeAll(async () => {
  ({ promtool } = await installPrometheus());
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
    const { query, seriesOf } = await startPrometheus(await startInstallation(), opsFile('alerts.yml'));
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
