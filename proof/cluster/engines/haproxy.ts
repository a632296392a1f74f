import { installMissingServers } from '../../../dev/servers/installSystemPackages';
import type { MysqlProxy } from '../../installation/MysqlProxy';
import type { MysqlNode } from '../../installation/MysqlServers';
import { untilTrue } from '../../installation/untilTrue';

/** Returns the server to which HAProxy connects. @throws {Error} while there is none. */
export async function writerOf(proxy: MysqlProxy): Promise<MysqlNode> {
  const writer = await proxy.writer();
  if (writer === undefined) throw new Error('HAProxy connects to no server');
  return writer;
}

/** Waits until HAProxy connects to a server other than `lost`. */
export async function untilReplaced(proxy: MysqlProxy, lost: MysqlNode): Promise<void> {
  await untilTrue('another server writes', async () => (await writerOf(proxy)) !== lost);
}

/** Installs HAProxy as root on Debian or Ubuntu. Returns why this machine cannot run it, or null. */
export async function whyNoHaproxy(log: (line: string) => void): Promise<string | null> {
  return installMissingServers(['haproxy'], log).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
}
