import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import { tellReady } from '../../shared/engine/process/process';

/** Serves one handler with Koa alone: no router, no authentication, no validation. Reports its port to the parent process. */
export function runBareServer(handle: Middleware): void {
  const app = new Koa();
  app.use(handle);
  const server = app.listen(0, '127.0.0.1', () => tellReady({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
}
