import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { WebhookSender } from '../../../workers/webhooks/WebhookSender';
import { signingKey } from '../../../workers/webhooks/signatures';
import { issuedBy } from '../../support/certificate';
import { eventually } from '../../support/eventually';
import { atEnd } from '../../support/installation';

const key = signingKey(`whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`);
const { trusted, ...certificate } = issuedBy(1, 'localhost');
/** More than the operating system takes of what is not read. */
const LARGE = 16 * 1024 * 1024;
/** It takes all of this. */
const SMALL = 30_000;

/** A server that responds as soon as it has read the beginning of a request, and reads no more; and the ports of the connection to it. */
async function startUnreading(scheme: string, connection: string): Promise<{ url: string; ports: number[] }> {
  const accepted: Socket[] = [];
  const ports: number[] = [];
  const respond = (socket: Socket): void => {
    accepted.push(socket);
    ports.push(socket.localPort ?? 0, socket.remotePort ?? 0);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.pause();
      socket.write(`HTTP/1.1 200 OK\r\nConnection: ${connection}\r\nContent-Length: 0\r\n\r\n`);
    });
  };
  const server = scheme === 'https' ? createTlsServer(certificate, respond) : createServer(respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    accepted.forEach((socket) => socket.destroy());
    server.close();
  });
  const host = scheme === 'https' ? 'localhost' : '127.0.0.1';
  return { url: `${scheme}://${host}:${(server.address() as AddressInfo).port}/`, ports };
}

/** Tests whether the operating system has the connection, or keeps something of it after its end. */
function isKept([far, near]: readonly number[]): boolean {
  const [one, other] = [far, near].map((port) => `0100007F:${port?.toString(16).toUpperCase().padStart(4, '0')}`);
  const table = readFileSync('/proc/net/tcp', 'latin1');
  return table.includes(`${one} ${other}`) || table.includes(`${other} ${one}`);
}

test.each(
  ['http', 'https'].flatMap((scheme) =>
    ['keep-alive', 'close'].flatMap((connection) => [LARGE, SMALL].map((size) => ({ scheme, connection, size }))),
  ),
)(
  'a request that its server responds to, and does not read › is delivered, and leaves nothing behind: %j',
  async ({ scheme, connection, size }) => {
    const { url, ports } = await startUnreading(scheme, connection);
    const clock = { now: () => new Date() };
    const sender = new WebhookSender({ allowPrivate: true, timeoutMs: 15_000, clock, authorities: trusted });
    const request = {
      companyId: 1,
      url: new URL(url),
      id: 'evt_1',
      body: 'a'.repeat(size),
      keys: [key],
      charge: () => 0,
    };
    expect(await sender.send(request, new AbortController().signal)).toMatchObject({ status: 200, error: null });
    // Only a connection that was given back is closed by this.
    if (size === SMALL) sender.close();
    expect(ports).toHaveLength(2);
    await eventually(() => !isKept(ports));
    sender.close();
  },
);
