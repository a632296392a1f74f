import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { projectRoot } from '../../config/paths';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { endProcess, identityOf } from '../../dev/servers/pidFile';
import { startPrivateMysql } from '../../dev/servers/privateMysql';
import { startPrivateRedis } from '../../dev/servers/privateRedis';
import { eventually } from '../support/eventually';

const log = () => undefined;
const runs = (pid: number) => identityOf(pid) !== undefined;

async function query(url: string, sql: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    return (await connection.query(sql))[0];
  } finally {
    await connection.end();
  }
}

describe('private servers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'invoicing-private-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('MySQL keeps its data and its password from start to start, in a folder however deep', async () => {
    const dataDir = join(folder, 'deep'.repeat(30), 'deep'.repeat(30));
    const first = await startPrivateMysql({ dataDir, durable: true, log });
    await ensureDatabase(`${first.url}/kept`);
    await ensureDatabase(`${first.url}/kept`);
    await query(`${first.url}/kept`, 'CREATE TABLE notes (text TEXT)');
    await query(`${first.url}/kept`, "INSERT INTO notes VALUES ('still here')");
    await first.stop();
    await first.stop();
    expect(runs(first.pid)).toBe(false);

    const second = await startPrivateMysql({ dataDir, durable: true, log });
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(await query(`${second.url}/kept`, 'SELECT * FROM notes')).toEqual([{ text: 'still here' }]);
    await second.stop();
  });

  test('MySQL lets nobody in without the password', async () => {
    const server = await startPrivateMysql({ dataDir: folder, durable: false, log });
    for (const user of ['root', 'invoicing']) {
      const { port } = new URL(server.url);
      await expect(query(`mysql://${user}@127.0.0.1:${port}`, 'SELECT 1')).rejects.toThrow(/denied|not allowed/);
    }
    await server.stop();
  });

  test('Redis keeps its data from start to start, evicts nothing, and wants its password', async () => {
    const first = await startPrivateRedis({ dataDir: folder, durable: true, log });
    const redis = new Redis(first.url);
    await redis.set('note', 'still here');
    expect(await redis.config('GET', 'maxmemory-policy')).toContain('noeviction');
    await redis.quit();
    await first.stop();
    const second = await startPrivateRedis({ dataDir: folder, durable: true, log });
    const again = new Redis(second.url);
    expect(await again.get('note')).toBe('still here');
    await again.quit();
    const stranger = new Redis(Number(new URL(second.url).port), '127.0.0.1', { lazyConnect: true });
    stranger.on('error', log);
    await expect(stranger.get('note')).rejects.toThrow('NOAUTH');
    stranger.disconnect();
    await second.stop();
  });

  test('a server that was left behind on the same folder is ended before the next starts', async () => {
    const lines: string[] = [];
    const first = await startPrivateRedis({ dataDir: folder, durable: true, log });
    const second = await startPrivateRedis({ dataDir: folder, durable: true, log: (line) => lines.push(line) });
    expect(runs(first.pid)).toBe(false);
    expect(lines).toEqual([`ending process ${first.pid}, left behind by an earlier start`]);
    await second.stop();
  });

  test('a server that ends by itself says so, with the end of its log', async () => {
    const server = await startPrivateRedis({ dataDir: folder, durable: false, log });
    await endProcess(server.pid);
    expect(await server.ended).toMatch(/^Redis ended with exit code 0\. The end of .*server\.log:\n.*/);
  });

  test('the owner is killed: its servers end and their throw-away folder goes', async () => {
    const module = JSON.stringify(join(projectRoot, 'dist/dev/servers/throwAwayServers.js'));
    const code = `require(${module}).startThrowAwayServers(console.error).then((s) => process.stdout.write(JSON.stringify(s)))`;
    const owner = spawn(process.execPath, ['-e', code], { env: { ...process.env, TMPDIR: folder } });
    await once(owner.stdout, 'data');
    const kept = join(folder, readdirSync(folder)[0] ?? '');
    const pids = ['mysql', 'redis'].map((name) => parseInt(readFileSync(join(kept, name, 'server.pid'), 'utf8'), 10));
    expect(pids.every(runs)).toBe(true);
    owner.kill('SIGKILL');
    await eventually(() => !existsSync(kept));
    expect(pids.some(runs)).toBe(false);
  });
});
