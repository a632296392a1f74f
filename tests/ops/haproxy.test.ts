import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../dev/servers/freePort';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import { startPrivateHaproxy, type PrivateHaproxy } from '../../dev/servers/privateHaproxy';
import { selfSigned } from '../support/certificate';
import { eventually } from '../support/eventually';
import { createClient, createCompany, invoiceInput } from '../support/factories';
import { atEnd, installation, openTestServices } from '../support/installation';
import { startApiProcess, type ApiProcess } from '../support/processes';

const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });

beforeAll(async () => {
  await installMissingServers(['haproxy'], (line) => process.stderr.write(`${line}\n`));
  atEnd(() => {
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Starts HAProxy with ops/haproxy.cfg, at other addresses and with a certificate. */
async function startHaproxy(apiPorts: readonly number[]): Promise<PrivateHaproxy> {
  const [http, https] = [await freePort(), await freePort()];
  const pem = selfSigned('localhost');
  mkdirSync(join(folder, 'certs'));
  writeFileSync(join(folder, 'certs/localhost.pem'), `${pem.cert}\n${pem.key}\n`);
  const haproxy = await startPrivateHaproxy({
    file: 'haproxy.cfg',
    dataDir: folder,
    replaced: [
      ['/etc/haproxy/certs/', join(folder, 'certs/')],
      ['bind :80\n', `bind 127.0.0.1:${http}\n`],
      ['bind :443 ', `bind 127.0.0.1:${https} `],
      ...apiPorts.map((port, index): [string, string] => [`127.0.0.1:300${index + 1}\n`, `127.0.0.1:${port}\n`]),
    ],
    url: `https://localhost:${https}`,
    isReady: (servers) => servers.every(({ state }) => state === 'UP'),
  });
  atEnd(() => haproxy.stop());
  return haproxy;
}

/** Returns the status, or the code of the error, and the body. */
function send(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<[string, string]> {
  return new Promise((resolve) => {
    const sent = request(url, { method, agent, headers: { ...headers, 'Content-Type': 'application/json' } });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve([error.code ?? error.message, '']));
    sent.on('response', (response) => {
      text(response).then(
        (received) => resolve([String(response.statusCode), received]),
        (error: Error) => resolve([`cut: ${error.message}`, '']),
      );
    });
    sent.end(body && JSON.stringify(body));
  });
}

test('a rolling restart of two APIs behind ops/haproxy.cfg, under load › no request fails, and each created invoice is there once', async () => {
  const services = await openTestServices();
  const { companyId, token } = await createCompany(services);
  const input = invoiceInput((await createClient(services, companyId)).id);
  const env = { ...(await installation()), TRUST_PROXY: 'true' };
  const ports = [await freePort(), await freePort()];
  const start = (port: number): Promise<ApiProcess> => startApiProcess({ ...env, PORT: String(port) });
  const apis = await Promise.all(ports.map(start));
  const haproxy = await startHaproxy(ports);
  const { url } = haproxy;
  const states = async (): Promise<string[]> => (await haproxy.servers()).map(({ state }) => state);
  const headers = { Authorization: `Bearer ${token}` };

  let isOver = false;
  const outcomes: string[] = [];
  const created: number[] = [];
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let count = 0; !isOver; count += 1) {
      const creates = client % 2 === 0 && count % 5 === 0;
      const [status, body] = creates
        ? await send('POST', `${url}/api/invoices`, headers, input)
        : await send('GET', `${url}/api/invoices?limit=2`, headers);
      outcomes.push(status);
      if (status === '201') created.push((JSON.parse(body) as { id: number }).id);
    }
  });
  await eventually(() => outcomes.length > 50);
  for (const [index, port] of ports.entries()) {
    const before = outcomes.length;
    expect(await apis[index]!.end('SIGTERM')).toEqual([0, null]);
    await eventually(async () => (await states()).includes('DOWN') && outcomes.length > before + 20);
    apis[index] = await start(port);
    await eventually(async () => (await states()).every((state) => state === 'UP'));
  }
  const after = outcomes.length;
  await eventually(() => outcomes.length > after + 50);
  isOver = true;
  await Promise.all(clients);

  expect(new Set(outcomes)).toEqual(new Set(['200', '201']));
  const [row] = await services.sql.rows<{ invoices: number }>('SELECT COUNT(*) AS invoices FROM invoices');
  expect([row?.invoices, new Set(created).size]).toEqual([created.length, created.length]);

  // One address has 200 connections, and others go on.
  const connections = Array.from({ length: 220 }, () =>
    connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: '127.0.0.2' }),
  );
  atEnd(() => connections.forEach((each) => each.destroy()));
  for (const each of connections) each.on('error', () => undefined);
  const isClosed = (each: Socket): boolean => each.closed;
  await eventually(() => connections.filter(isClosed).length === 20);
  expect((await send('GET', `${url}/api/invoices?limit=2`, headers))[0]).toBe('200');

  // What the public does not reach, and what is too large, stays outside.
  for (const path of ['readyz', 'readyz/', 'healthz/']) expect((await send('GET', `${url}/${path}`))[0]).toBe('404');
  const large = { ...headers, 'Content-Length': String(12 * 1024 * 1024) };
  expect((await send('POST', `${url}/api/invoices`, large))[0]).toBe('413');
});
