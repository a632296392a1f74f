import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellReady } from '../../shared/engine/process/process';

let arrivals: number[] | null = null;
let begun: () => void = () => undefined;

const server = createServer((request, response) => {
  if (request.method === 'GET') return void measure(request, response);
  request.resume().on('end', () => {
    if (arrivals?.push(performance.now()) === 1) begun();
    response.writeHead(204).end();
  });
});

/**
 * Receives events and ignores them. `GET /rate?seconds=3` measures for 3 seconds from the next request on, and responds
 * with the number of requests and the milliseconds.
 */
export const receiveWebhooks = (): void => {
  server.listen(0, '127.0.0.1', () => tellReady({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
};

async function measure({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const measured: number[] = (arrivals = []);
  await new Promise<void>((resolve) => (begun = resolve));
  await sleep(Number(new URL(url, 'http://receiver').searchParams.get('seconds')) * 1_000);
  arrivals = null;
  // The first requests only fill the connections.
  const counted = measured.slice(10);
  const ms = (counted[counted.length - 1] ?? 0) - (counted[0] ?? 0);
  response.end(JSON.stringify({ requests: counted.length - 1, ms }));
}
