import { openTcpProxy, type TcpProxy } from '../../dev/servers/tcpProxy';
import './installation';

export type { TcpProxy };

const opened: TcpProxy[] = [];
// Registered after the one of the installation, so that what was opened through a proxy is closed before it.
afterAll(() => Promise.all(opened.splice(0).map((proxy) => proxy.close())));

/** Starts a proxy to the server that the URL names; it ends after the file's last test. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const proxy = await openTcpProxy(() => target);
  opened.push(proxy);
  return proxy;
}
