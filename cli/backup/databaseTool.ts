import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CliError } from '../CliError';

const run = promisify(execFile);

export interface DatabaseTool {
  readonly command: string;
  readonly isMariadb: boolean;
  /** For example `mariadb-dump from 11.8.3-MariaDB`. */
  readonly version: string;
}

/** The programs that write and read a dump, by the server that they come with. */
const programs = {
  dump: { mariadb: 'mariadb-dump', mysql: 'mysqldump' },
  client: { mariadb: 'mariadb', mysql: 'mysql' },
} as const;

/**
 * Finds the program on the PATH: the one that belongs to the server, else the other one.
 * @throws {CliError} `tool_missing`, which names the packages that contain it.
 */
export async function findDatabaseTool(kind: keyof typeof programs, serverIsMariadb: boolean): Promise<DatabaseTool> {
  const { mariadb, mysql } = programs[kind];
  for (const command of serverIsMariadb ? [mariadb, mysql] : [mysql, mariadb]) {
    const version = await versionOf(command);
    if (version !== null) return { command, isMariadb: /mariadb/i.test(version), version };
  }
  throw new CliError(
    'tool_missing',
    `Neither ${mariadb} nor ${mysql} is on the PATH. Install the package mariadb-client (Debian, Ubuntu, Alpine), mariadb ` +
      '(Fedora, Homebrew) or mysql-client (MySQL). The Docker image "backup" of docker-compose.yml has it.',
  );
}

async function versionOf(command: string): Promise<string | null> {
  try {
    return (await run(command, ['--no-defaults', '--version'])).stdout.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CliError('tool_failed', `${command} --version failed: ${(error as Error).message}`, error);
  }
}
