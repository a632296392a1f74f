import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../../config/env';
import type { NewLink } from '../../../workers/gateways';
import { XenditGateway } from '../../../workers/gateways/xendit';

export const secretKey = 'xnd_development_very-secret';

/** The adapter under test, pointed at a server on this machine. */
export function gatewayAt(baseUrl: string, overrides: Record<string, string> = {}): XenditGateway {
  const environment = { XENDIT_BASE_URL: baseUrl, XENDIT_SECRET_KEY: secretKey, GATEWAY_TIMEOUT_MS: '15000' };
  return new XenditGateway(loadConfig({ ...environment, ...overrides }).gateway);
}

export function newLink(overrides: Partial<NewLink> = {}): NewLink {
  const link = { reference: 'ref-1', amount: '150000.00', currency: 'IDR', description: 'Invoice INV-1' };
  const createdAt = new Date('2026-11-24T10:00:00Z');
  return { ...link, createdAt, payerEmail: 'client@example.com', durationSeconds: 3600, ...overrides };
}

/** A server that responds to every request in one way, for responses that no provider should give. */
export async function startServer(respond: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
