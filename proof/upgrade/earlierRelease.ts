import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { extract } from 'tar-fs';
import { projectRoot } from '../../config/paths';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { newestMigration } from '../../shared/engine/migrations/schemaVersion';

const run = promisify(execFile);

/** Compiles a release into its `dist`, in a second or two. Its types were checked when it was committed. */
const compile = (folder: string): Promise<unknown> =>
  run(process.execPath, [join(projectRoot, 'dev/bootstrap/compile.mjs'), folder]);

/** An earlier release: its compiled files are in a folder of its own, as in an installation. */
export interface Release {
  readonly folder: string;
  readonly commit: string;
  /** The names of its migrations. */
  readonly migrations: ReadonlySet<string>;
}

/**
 * Returns the commit of `ref`. Without a ref: the commit before the newest migration was added, or HEAD if the migration is
 * not committed. Returns null if the history does not reach that far back, as in a shallow clone or outside of git.
 * @throws {Error} for a ref that git does not know.
 */
export async function findEarlierCommit(ref: string | null): Promise<string | null> {
  const commitOf = async (name: string): Promise<string> =>
    (await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)).trim();
  if (ref !== null) {
    return commitOf(ref).catch((cause: unknown) => {
      throw new Error(`--from ${ref}: expected a revision of this git repository`, { cause });
    });
  }
  try {
    const added = await git('log', '--diff-filter=A', '--format=%H', '--', `*/${newestMigration()}.ts`);
    const first = added.trim().split('\n').pop() ?? '';
    return await commitOf(first === '' ? 'HEAD' : `${first}^`);
  } catch {
    // No git, no repository, or no such parent in a shallow clone.
    return null;
  }
}

/** Unpacks the commit into `folder`, compiled and with the dependencies that its own lock file names. */
export async function unpackRelease(commit: string, folder: string, log: ThrowAwayRun['log']): Promise<Release> {
  log(`building the earlier release ${commit.slice(0, 7)} …`);
  await unpack(commit, folder);
  await compile(folder);
  const ours = runtimePackages(projectRoot);
  if ([...runtimePackages(folder)].every(([path, version]) => ours.get(path) === version)) {
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  } else {
    log('installing the dependencies of the earlier release, since ours have other versions …');
    await run('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  }
  return { folder, commit, migrations: migrationsIn(folder) };
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: projectRoot })).stdout;
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = spawn('git', ['archive', '--format=tar', commit], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(archive, 'close') as Promise<[number | null]>;
  await pipeline(archive.stdout, extract(folder));
  const [code] = await ended;
  if (code !== 0) throw new Error(`git archive ${commit} ended with exit code ${code}`);
}

/** Returns the version of each package that the lock file of a release installs in production, by its path. */
function runtimePackages(folder: string): Map<string, string | undefined> {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean }>;
  };
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  return new Map(used.map(([path, { version }]) => [path, version]));
}

function migrationsIn(folder: string): ReadonlySet<string> {
  const files = readdirSync(join(folder, 'shared'), { recursive: true, encoding: 'utf8' });
  return new Set(files.map((path) => basename(path, '.ts')).filter((name) => /^\d{14}-/.test(name)));
}
