import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { findBinary } from './findBinary';
import { debianPackages, installProblem, type ServerKind } from './installProblem';
import { findMysql } from './privateMysql';
import { findRedis } from './privateRedis';

const finders: Record<ServerKind, () => string | undefined> = {
  mysql: findMysql,
  redis: findRedis,
  prometheus: () => findBinary('prometheus'),
  haproxy: () => findBinary('haproxy'),
  nginx: () => findBinary('nginx'),
};

/**
 * Installs missing programs of these servers, as root on Debian or Ubuntu. Does not start the packages' own services.
 * @throws {Error} with the commands that install them, when it cannot.
 */
export async function installMissingServers(wanted: readonly ServerKind[], log: (line: string) => void): Promise<void> {
  const isMissing = (kind: ServerKind) => finders[kind]() === undefined;
  const missing = wanted.filter(isMissing);
  if (missing.length === 0) return;
  const packages = missing.map((kind) => debianPackages[kind]);
  if (!(await installDebianPackages(packages, log))) throw new Error(installProblem(missing));
  const still = missing.filter(isMissing);
  if (still.length > 0) throw new Error(installProblem(still));
}

/**
 * Installs these packages without starting their services. Returns false unless run as root on Debian or Ubuntu.
 * @throws {Error} with the end of its output when apt-get fails.
 */
export async function installDebianPackages(
  packages: readonly string[],
  log: (line: string) => void,
): Promise<boolean> {
  const aptGet = findBinary('apt-get');
  if (process.getuid?.() !== 0 || aptGet === undefined || !existsSync('/etc/debian_version')) return false;
  log(`installing ${packages.join(' and ')} with apt-get (once, about a minute; their own services stay off) …`);
  const install = async (): Promise<void> => {
    await apt(aptGet, ['update', '-q']);
    await apt(aptGet, ['install', '-q', '-y', '--no-install-recommends', ...packages]);
  };
  await oneAtATime(() => withServicesOff(install));
  return true;
}

/** Two test files may install at the same time, which apt-get refuses. The lock ends with this process. */
async function oneAtATime(work: () => Promise<void>): Promise<void> {
  const lock = spawn('flock', ['/var/lock/invoicing-packages', 'sh', '-c', 'echo locked; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(lock.stdout, 'data');
  try {
    await work();
  } finally {
    lock.stdin.end();
  }
}

const policy = '/usr/sbin/policy-rc.d';
const policyAside = `${policy}.invoicing-aside`;
const servicesOff =
  '#!/bin/sh\n# Set for one installation by the invoicing service; it removes this file afterwards.\nexit 101\n';

/** Debian runs policy-rc.d before it starts a package's service. Exit code 101 forbids the start. */
async function withServicesOff(work: () => Promise<void>): Promise<void> {
  const theirs = existsSync(policy) && readFileSync(policy, 'utf8') !== servicesOff;
  if (theirs) renameSync(policy, policyAside);
  writeFileSync(policy, servicesOff, { mode: 0o755 });
  const putBack = () => (existsSync(policyAside) ? renameSync(policyAside, policy) : rmSync(policy, { force: true }));
  process.once('exit', putBack);
  try {
    await work();
  } finally {
    process.off('exit', putBack);
    putBack();
  }
}

async function apt(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`apt-get ${args[0]} failed (exit code ${code}):\n${output}`);
}
