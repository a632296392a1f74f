import type { Supervisor } from '../launcher/supervisor';
import { openTcpProxy, type TcpProxy } from '../servers/tcpProxy';

/** The address of a server for one process, directly or through a proxy. */
export interface Route {
  readonly url: string;
  /** @throws {Error} where there is no proxy in between. */
  readonly proxy: TcpProxy;
}

export function directRoute(target: () => string): Promise<Route> {
  return Promise.resolve({
    url: target(),
    get proxy(): TcpProxy {
      throw new Error('this installation has no proxies');
    },
  });
}

export async function proxiedRoute(target: () => string, supervisor: Supervisor): Promise<Route> {
  const proxy = await openTcpProxy(target);
  supervisor.add({ ended: new Promise(() => undefined), stop: () => proxy.close() });
  return { url: proxy.url, proxy };
}
