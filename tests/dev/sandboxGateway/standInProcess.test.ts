import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../../config/paths';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(entry: string, env: Record<string, string>, stdio: SpawnOptions['stdio']): ChildProcess {
  const child = spawn(process.execPath, [join(projectRoot, 'dist', entry)], { env: { ...process.env, ...env }, stdio });
  children.push(child);
  return child;
}

async function readyLine(child: ChildProcess): Promise<Record<string, unknown>> {
  for await (const line of createInterface({ input: child.stdout! }))
    return JSON.parse(line) as Record<string, unknown>;
  throw new Error('it ended without a line');
}

const entries: [string, Record<string, string>, string[]][] = [
  ['dev/sandboxGateway/index.js', { SANDBOX_GATEWAY_PORT: '0', SANDBOX_SECRET_KEY: 'k' }, ['port']],
  ['dev/eventReceiver/index.js', { EVENT_RECEIVER_PORT: '0' }, ['port']],
  ['dev/mailCatcher/index.js', { MAIL_CATCHER_SMTP_PORT: '0', MAIL_CATCHER_HTTP_PORT: '0' }, ['smtpPort', 'httpPort']],
];

describe.each(entries)('the process of %s', (entry, env, ports) => {
  it('says on stdout when it is ready and where, and ends on SIGTERM', async () => {
    const child = start(entry, env, ['ignore', 'pipe', 'inherit']);
    const ready = await readyLine(child);
    expect(ready).toEqual({ ready: true, ...Object.fromEntries(ports.map((name) => [name, expect.any(Number)])) });
    const port = String(ready['port'] ?? ready['httpPort']);
    expect((await fetch(`http://127.0.0.1:${port}/control`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('reports to a parent, leaves Ctrl-C to it, and ends with it', async () => {
    const child = start(entry, env, ['ignore', 'pipe', 'inherit', 'ipc']);
    const [ready] = (await once(child, 'message')) as [object];
    expect(Object.keys(ready)).toEqual(['ready', ...ports]);
    child.kill('SIGINT');
    const alive = await Promise.race([
      once(child, 'exit'),
      new Promise((resolve) => setTimeout(resolve, 300, 'alive')),
    ]);
    expect(alive).toBe('alive');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('fails with 1 when its port is taken', async () => {
    const first = start(entry, env, ['ignore', 'pipe', 'inherit']);
    const ready = await readyLine(first);
    const taken = String(ready['port'] ?? ready['httpPort']);
    const second = start(
      entry,
      { ...env, [Object.keys(env).find((name) => /GATEWAY_PORT|RECEIVER_PORT|HTTP_PORT/.test(name))!]: taken },
      'ignore',
    );
    expect(await once(second, 'exit')).toEqual([1, null]);
  });
});
