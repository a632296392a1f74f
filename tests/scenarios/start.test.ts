import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { readEnvFile } from '../../dev/launcher/envFile';
import { freePort } from '../../dev/servers/freePort';
import type { ReceivedEvent } from '../../dev/eventReceiver/ReceivedEvents';
import { identityOf } from '../../dev/servers/pidFile';
import type { CheckResult } from '../../shared/engine/checks/Check';
import { eventually } from '../support/eventually';

/** The commands that the README shows under "Tour". */
function documentedTour(): string {
  const [, tour = ''] = /^## Tour\n(.+?)^## /ms.exec(readFileSync(join(projectRoot, 'README.md'), 'utf8')) ?? [];
  return [...tour.matchAll(/^```sh\n(.+?)^```/gms)].map(([, commands]) => commands).join('');
}

describe('npm start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-start-'));
  const launchers: ChildProcess[] = [];
  const endings: Promise<unknown>[] = [];
  let port: number;
  beforeAll(async () => {
    port = await freePort();
  });
  afterEach(async () => {
    for (const launcher of launchers.splice(0)) launcher.kill('SIGTERM');
    await Promise.all(endings.splice(0));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  /** A launcher as `npm start` runs it, and what it has told so far. */
  function launch(variables: Record<string, string> = {}) {
    const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
    const child = spawn(process.execPath, [join(projectRoot, 'dist/dev/start.js')], {
      env: { ...inherited, NODE_ENV: 'development', DATA_DIR: dataDir, PORT: String(port), ...variables },
    });
    launchers.push(child);
    const told = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (told.text += chunk.toString()));
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    endings.push(ended);
    return { child, told, ended };
  }

  async function launchAndWait() {
    const launcher = launch();
    await eventually(() => {
      if (launcher.child.exitCode !== null) throw new Error(launcher.told.text);
      return launcher.told.text.includes('Everything runs');
    });
    return { ...launcher, demo: readEnvFile(join(dataDir, 'demo.env')), processes: processesOf(dataDir) };
  }

  /** The processes that the installation noted as its own: the launcher, its parts and its servers. */
  function processesOf(folder: string): number[] {
    const files = [
      ...readdirSync(join(folder, 'run')).map((name) => join('run', name)),
      'mysql/server.pid',
      'redis/server.pid',
    ];
    return files.map((file) => parseInt(readFileSync(join(folder, file), 'utf8'), 10));
  }

  const living = (pids: readonly number[]) => pids.filter((pid) => identityOf(pid) !== undefined);

  const get = (demo: Record<string, string | undefined>, path: string) =>
    fetch(`${demo['BASE_URL']}${path}`, { headers: { Authorization: `Bearer ${demo['API_TOKEN']}` } });

  let first: Awaited<ReturnType<typeof launchAndWait>>;
  test('brings everything up, and SIGTERM ends everything', async () => {
    first = await launchAndWait();
    expect(Object.keys(first.demo).sort()).toEqual([
      'API_TOKEN',
      'BASE_URL',
      'CATEGORY_ID',
      'CLIENT_ID',
      'CLIENT_WITHOUT_EMAIL_ID',
      'ENDPOINT_ID',
      'GATEWAY_URL',
      'MAILBOX_URL',
      'OPERATOR_URL',
      'RECEIVER_URL',
      'WORKER_OPERATOR_URL',
    ]);
    expect(statSync(join(dataDir, 'demo.env')).mode & 0o777).toBe(0o600);
    expect((await get(first.demo, `/api/clients/${first.demo['CLIENT_ID']}`)).status).toBe(200);
    expect((await fetch(first.demo['MAILBOX_URL'] ?? '')).status).toBe(200);
    expect((await fetch(first.demo['RECEIVER_URL'] ?? '')).status).toBe(200);
    const received = await eventually(async () => {
      const response = await fetch(`${first.demo['RECEIVER_URL']}/api/events?type=invoice.paid`);
      return ((await response.json()) as ReceivedEvent[])[0];
    });
    expect(received).toMatchObject({ signature: { verified: true }, occurrence: 1 });
    expect((await fetch(`${first.demo['OPERATOR_URL']}/queues`)).status).toBe(200);
    expect(await (await fetch(`${first.demo['WORKER_OPERATOR_URL']}/metrics`)).text()).toMatch(
      /^invoicing_pdf_render/m,
    );

    const second = launch({ PORT: String(await freePort()) });
    expect(await second.ended).toEqual([1, null]);
    expect(second.told.text).toContain(`Process ${first.child.pid} runs on ${dataDir} already`);

    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual([0, null]);
    expect(living(first.processes)).toEqual([]);
  });

  test('the next start keeps the data and the key; the tour of the README, pasted, gets to a paid invoice and to occurrences', async () => {
    const again = await launchAndWait();
    expect(again.demo).toEqual(first.demo);
    expect((await get(again.demo, `/api/clients/${again.demo['CLIENT_ID']}`)).status).toBe(200);
    const { stdout } = await promisify(execFile)('sh', ['-ec', documentedTour().replaceAll('.data/', `${dataDir}/`)], {
      cwd: projectRoot,
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', DATA_DIR: dataDir },
    });
    expect(stdout).toMatch(
      /invoice\.pdf\nInvoice e-mailed successfully\nInvoice INV-\S+ from .+\nhttp:\S+\nPAID\npaid\n\{/,
    );
    expect(stdout).toMatch(/"date":"2027-02-28".+"date":"2027-03-31".+"date":"2027-04-30"/);
    await expectHealthy();
    again.child.kill('SIGINT');
    expect(await again.ended).toEqual([0, null]);
    expect(living(again.processes)).toEqual([]);
  });

  /** The operator's `doctor` finds nothing broken, and leaves nothing out. */
  async function expectHealthy() {
    const { PATH, HOME } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [join(projectRoot, 'dist/cli/index.js'), 'doctor'], {
      env: { PATH, HOME, ...readEnvFile(join(dataDir, 'servers.env')) },
    });
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
    const notOk = checks.filter(({ status }) => status !== 'ok');
    expect(checks.length).toBeGreaterThan(20);
    // This is no production; and the sandbox of Chromium may not work on the machine of the tests.
    expect(notOk.filter(({ name }) => name !== 'Chromium: print')).toMatchObject([
      { name: 'configuration: production', status: 'warning' },
    ]);
    expect(notOk.filter(({ status }) => status !== 'warning')).toEqual([]);
  }

  test('a part that dies takes the rest with it, and is named', async () => {
    const launcher = await launchAndWait();
    process.kill(parseInt(readFileSync(join(dataDir, 'run/worker.pid'), 'utf8'), 10), 'SIGKILL');
    expect(await launcher.ended).toEqual([1, null]);
    expect(launcher.told.text).toContain('worker ended with SIGKILL');
    expect(living(launcher.processes)).toEqual([]);
  });

  test('the launcher is killed: nothing of it stays, and the next start works', async () => {
    const killed = await launchAndWait();
    killed.child.kill('SIGKILL');
    await eventually(() => living(killed.processes).length === 0);
    const next = await launchAndWait();
    next.child.kill('SIGHUP');
    expect(await next.ended).toEqual([0, null]);
  });

  test('a port that is taken is reported before anything starts', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const launcher = launch();
    expect(await launcher.ended).toEqual([1, null]);
    expect(launcher.told.text).toContain(`Port ${port} is used by another program. Choose another: PORT=`);
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
    other.close();
  });
});
