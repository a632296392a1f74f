import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import { tellReady } from '../../shared/engine/process/process';
import { hostedPage } from './hostedPage';
import * as reads from './reads';
import { receiveWebhooks } from './receiveWebhooks';
import * as writes from './writes';

/** The minimal servers of the baselines. */
const handlers = { ...reads, ...writes, hostedPage };

export type Baseline = keyof typeof handlers | 'receiveWebhooks';

/** Serves one handler with Koa alone: no router, no authentication, no validation. Reports its port to the parent. */
function serve(handle: Middleware): void {
  const app = new Koa();
  app.use(handle);
  const server = app.listen(0, '127.0.0.1', () => tellReady({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
}

const name = process.env['BASELINE'] as Baseline;
if (name === 'receiveWebhooks') receiveWebhooks();
else serve(handlers[name]);
