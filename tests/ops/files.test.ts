import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { variablesIn } from '../../config/variable';
import { variables } from '../../config/variables';
import { projectRoot } from '../../config/paths';
import { findBinary } from '../../dev/servers/findBinary';
import { freePort } from '../../dev/servers/freePort';
import { installDebianPackages, installMissingServers } from '../../dev/servers/installSystemPackages';
import { selfSigned } from '../support/certificate';
import { eventually } from '../support/eventually';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ops-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const opsFile = (name: string): string => readFileSync(join(projectRoot, 'ops', name), 'utf8');

describe('ops/nginx.conf', () => {
  /** Writes a configuration of nginx that includes ours, with other addresses and a certificate. */
  function writeConfiguration(replaced: readonly [string, string][]): string {
    const pem = selfSigned('localhost');
    writeFileSync(join(folder, 'billing.example.com.pem'), pem.cert);
    writeFileSync(join(folder, 'billing.example.com.key'), pem.key);
    const ours = opsFile('nginx.conf').replaceAll(/\/etc\/nginx\/certs|\/var\/log\/nginx/g, folder);
    writeFileSync(
      join(folder, 'site.conf'),
      replaced.reduce((site, [from, to]) => site.replace(from, to), ours),
    );
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (part) => `${part}_temp_path ${folder}/${part};`,
    );
    const main = join(folder, 'nginx.conf');
    const http = `http { access_log off; ${paths.join(' ')} include site.conf; }`;
    writeFileSync(main, `pid ${folder}/pid; error_log ${folder}/errors.log; daemon off; events {} ${http}`);
    return main;
  }

  beforeAll(() => installMissingServers(['nginx'], (line) => process.stderr.write(`${line}\n`)));

  test('nginx › accepts it', async () => {
    const { stderr } = await run(findBinary('nginx') ?? '', ['-t', '-c', writeConfiguration([])]);
    expect(stderr).toMatch(/test is successful/);
    expect(stderr).not.toMatch(/warn|emerg/);
  });

  test('requests that end without a response › take no API from others; an API that is gone has no part', async () => {
    const apis = [0, 1].map(() =>
      createServer((request, response) => {
        if (request.url === '/ends') request.socket.destroy();
        else response.end('served');
      }),
    );
    for (const api of apis) await once(api.listen(0, '127.0.0.1'), 'listening');
    const [http, https] = [await freePort(), await freePort()];
    const main = writeConfiguration([
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen 443 ', `listen 127.0.0.1:${https} `],
      ...apis.map((api, index): [string, string] => [
        `127.0.0.1:300${index + 1} `,
        `127.0.0.1:${(api.address() as AddressInfo).port} `,
      ]),
    ]);
    const nginx = spawn(findBinary('nginx') ?? '', ['-c', main], { stdio: 'ignore' });
    try {
      const statusOf = (path: string): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const asked = request({ port: https, path, rejectUnauthorized: false, agent: false }, (response) => {
            resolve(response.resume().statusCode);
          });
          asked.on('error', reject).end();
        });
      await eventually(() => statusOf('/').catch(() => null));
      for (let n = 0; n < 5; n++) {
        expect(await statusOf('/ends')).toBe(502);
        expect(await statusOf('/')).toBe(200);
      }
      for (const path of ['/readyz', '/readyz/', '/healthz/']) expect(await statusOf(path)).toBe(404);
      apis[0]?.close();
      apis[0]?.closeAllConnections();
      for (let n = 0; n < 5; n++) expect(await statusOf('/')).toBe(200);
    } finally {
      nginx.kill();
      await once(nginx, 'exit');
      for (const api of apis) {
        api.close();
        api.closeAllConnections();
      }
    }
  });
});

/** Listens for HTTPS, and prints how many of 220 connections of each address are made. */
const countConnections = `
  const { createServer, connect } = require('node:net');
  const made = (host) => new Promise((resolve) => {
    let [open, refused] = [0, 0];
    const count = () => open + refused === 220 && resolve([open, refused]);
    for (let n = 0; n < 220; n++) {
      connect(443, host).on('connect', () => count((open += 1))).on('error', () => count((refused += 1)));
    }
  });
  createServer().listen(443, '::', async () => {
    process.stdout.write(JSON.stringify([await made('127.0.0.1'), await made('::1')]));
    process.exit();
  });`;

describe('ops/nginx.nft', () => {
  test('one address has 200 connections, before nginx reads them', async () => {
    const isThere = (): boolean => findBinary('nft') !== undefined && findBinary('ip') !== undefined;
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    if (!isThere()) await installDebianPackages(['nftables', 'iproute2'], log);
    const ofItsOwn = (script: string): ReturnType<typeof run> => run('unshare', ['-rn', 'sh', '-ec', script]);
    // Only machines with nftables that let us have a network of our own can tell.
    if (!isThere() || (await ofItsOwn('nft list tables').catch(() => null)) === null) return;
    const { stdout } = await run('unshare', [
      ...['-rn', 'sh', '-ec', 'ip link set lo up; nft -f "$1"; exec "$2" -e "$3"', 'sh'],
      ...[join(projectRoot, 'ops/nginx.nft'), process.execPath, countConnections],
    ]);
    expect(JSON.parse(stdout)).toEqual([
      [200, 20],
      [200, 20],
    ]);
  });
});

describe('ops/haproxy.cfg', () => {
  test('one address takes less than a fifth of the sockets', () => {
    const [all, streams, connections] = [/maxconn (\d+)/, /concurrent-streams (\d+)/, /conn_cur gt (\d+)/].map(
      (pattern) => Number(pattern.exec(opsFile('haproxy.cfg'))?.[1]),
    ) as [number, number, number];
    expect(connections * (1 + streams)).toBeLessThanOrEqual((2 * all) / 5);
  });
});

describe('ops/systemd', () => {
  const units = readdirSync(join(projectRoot, 'ops/systemd'));
  const names = new Set<string>(variablesIn(variables).map(({ name }) => name));

  test.each(units)('%s › starts what the build makes, and sets variables that there are', (unit) => {
    const text = opsFile(`systemd/${unit}`);
    const entry = /^ExecStart=\/usr\/bin\/node .*?(dist\/\S+\.js)/m.exec(text)?.[1] ?? '';
    expect(readFileSync(join(projectRoot, entry), 'utf8')).not.toBe('');
    const set = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all = '']) => all.split(' '));
    for (const assignment of set) expect([...names, 'TMPDIR']).toContain(assignment.split('=')[0]);
  });

  test('systemd › accepts every unit', async () => {
    const analyze = findBinary('systemd-analyze');
    // Only machines with systemd can tell.
    if (analyze === undefined) return;
    for (const unit of units) {
      writeFileSync(join(folder, unit), opsFile(`systemd/${unit}`).replace('/usr/bin/node', process.execPath));
      expect((await run(analyze, ['verify', join(folder, unit)])).stderr).toBe('');
    }
  });
});
