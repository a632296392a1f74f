import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinary } from '../../dev/servers/findBinary';
import { freePort } from '../../dev/servers/freePort';
import { installDebianPackages } from '../../dev/servers/installSystemPackages';
import { startServerProcess, type PrivateServer } from '../../dev/servers/serverProcess';
import { loadConfig } from '../../config/env';
import { openS3 } from '../../shared/engine/files/openS3';
import { DataServer } from '../../dev/installation/DataServer';
import { untilTrue } from './waiting';

const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin'];
const packages = ['ceph-mon', 'ceph-osd', 'radosgw'];

/** Credentials of a temporary server on loopback. */
const keys = { id: 'loopback', secret: 'loop/back+key=' };
const bucket = 'invoicing';
const commandWithinMs = 30_000;

/** A bucket of a real S3 server. Each file is encrypted by the server, and each version of it is kept. */
export interface CephBucket {
  /** The S3 server, which can be killed and started again on its port. The servers behind it keep the data. */
  readonly gateway: DataServer;
  /** The environment variables that choose the bucket as the file store. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Installs Ceph as root on Debian or Ubuntu. Returns why this machine cannot run it, or null. */
export async function whyNoCeph(log: (line: string) => void): Promise<string | null> {
  const isMissing = (): boolean => programs.some((name) => findBinary(name) === undefined);
  if (!isMissing()) return null;
  const failure = await installDebianPackages(packages, log).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
  if (!isMissing()) return null;
  return `this machine has no Ceph (on Debian: apt-get install ${packages.join(' ')})${failure === null ? '' : `: ${failure}`}`;
}

/** Starts a Ceph cluster of one monitor and one store of objects in a file, and its S3 server, and creates a bucket. */
export async function startCephBucket(dataDir: string): Promise<CephBucket> {
  const [monitorPort, port] = [await freePort(), await freePort()];
  const folder = (name: string): string => {
    const path = join(dataDir, 'ceph', name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const [root, monitorDir, storeDir, gatewayDir] = ['.', 'monitor', 'store', 'gateway'].map(folder) as Four;
  const [cluster, storeId] = [randomUUID(), randomUUID()];
  const config = join(root, 'ceph.conf');
  const keyring = join(root, 'keyring');
  writeFileSync(config, configuration({ cluster, keyring, monitorPort, port, monitorDir, storeDir, gatewayDir }));
  const run = (program: string, ...args: string[]): Promise<string> => output(program, [...args, '-c', config]);
  const serve = (program: string, dir: string, args: string[], isReady: () => Promise<boolean>) =>
    startServerProcess({
      name: program,
      command: findBinary(program) ?? program,
      args: ['-f', ...args, '-c', config],
      dir,
      url: `http://127.0.0.1:${port}`,
      isReady,
    });

  const map = join(root, 'monmap');
  const authtool = (...args: string[]): Promise<string> => output('ceph-authtool', args);
  await authtool('-C', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
  await authtool(keyring, '--gen-key', '-n', 'client.admin', '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *');
  await output('monmaptool', ['--create', '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, '--fsid', cluster, map]);
  await run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring);
  const stat = (): Promise<string> => run('ceph', 'osd', 'stat', '--connect-timeout', '5');
  const monitor = await serve('ceph-mon', monitorDir, ['-i', 'a'], () => stat().then(Boolean, () => false));

  await run('ceph', 'osd', 'new', storeId);
  const storeKeyring = join(storeDir, 'keyring');
  await authtool('-C', storeKeyring, '--gen-key', '-n', 'osd.0');
  await run('ceph', 'auth', 'add', 'osd.0', '-i', storeKeyring, 'mon', 'allow profile osd', 'osd', 'allow *');
  await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', storeId);
  const isUp = (): Promise<boolean> => stat().then((text) => text.includes('1 up'));
  const store = await serve('ceph-osd', storeDir, ['-i', '0'], () => isUp().catch(() => false));

  await run('radosgw-admin', 'user', 'create', '--uid', 'proof', '--display-name', 'proof', ...userKeys);
  const responds = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const gateway = new DataServer(() => serve('radosgw', gatewayDir, ['-n', 'client.admin'], responds));
  await gateway.start();
  const variables = {
    FILES_STORE: 's3',
    S3_BUCKET: bucket,
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_FORCE_PATH_STYLE: 'true',
    S3_PREFIX: 'files',
    S3_ACCESS_KEY_ID: keys.id,
    S3_SECRET_ACCESS_KEY: keys.secret,
  };
  await createBucket(variables);
  return { gateway, variables, stop: () => stopAll(gateway, store, monitor) };
}

type Four = [string, string, string, string];

const userKeys = ['--access-key', keys.id, '--secret-key', keys.secret];

async function stopAll(...servers: readonly Pick<PrivateServer, 'stop'>[]): Promise<void> {
  for (const server of servers) await server.stop();
}

/**
 * Creates the bucket, which keeps the versions of its objects. The store may need some seconds for its first objects.
 */
async function createBucket(variables: Readonly<Record<string, string>>): Promise<void> {
  const { files } = loadConfig(variables);
  if (files.store !== 's3') throw new Error('the variables name no bucket');
  const s3 = openS3(files, commandWithinMs);
  await untilTrue('the bucket is created', () => s3.createBucket({ Bucket: bucket }));
  await s3.putBucketVersioning({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } });
  s3.destroy();
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(findBinary(program) ?? program, args, { timeout: commandWithinMs });
  return stdout;
}

interface Settings {
  readonly cluster: string;
  readonly keyring: string;
  readonly monitorPort: number;
  readonly port: number;
  readonly monitorDir: string;
  readonly storeDir: string;
  readonly gatewayDir: string;
}

/** One copy of each object, no manager, and logs of problems only. All files are in the folder. */
function configuration(of: Settings): string {
  return [
    '[global]',
    `fsid = ${of.cluster}`,
    'mon initial members = a',
    `mon host = v2:127.0.0.1:${of.monitorPort}`,
    `keyring = ${of.keyring}`,
    'public network = 127.0.0.0/8',
    'ms bind ipv6 = false',
    'admin socket =',
    'pid file =',
    'log file =',
    'log to stderr = true',
    'mon cluster log file =',
    ...['rocksdb', 'bluestore', 'bluefs', 'bdev', 'rgw'].map((part) => `debug ${part} = 0`),
    'mon allow pool size one = true',
    'osd pool default size = 1',
    'osd pool default min size = 1',
    'osd pool default pg num = 8',
    'osd pool default pg autoscale mode = off',
    'osd crush chooseleaf type = 0',
    '[mon]',
    `mon data = ${of.monitorDir}`,
    '[osd]',
    `osd data = ${of.storeDir}`,
    `keyring = ${of.storeDir}/keyring`,
    'osd class update on start = false',
    'osd memory target = 1073741824',
    'osd objectstore = bluestore',
    'bluestore block size = 4294967296',
    '[client]',
    `rgw data = ${of.gatewayDir}`,
    `rgw frontends = beast endpoint=127.0.0.1:${of.port}`,
    // Encrypts every object.
    `rgw crypt default encryption key = ${Buffer.alloc(32, 'throw-away').toString('base64')}`,
    'rgw crypt require ssl = false',
    '',
  ].join('\n');
}
