/** The two kinds of server that the service stands on. */
export type ServerKind = 'mysql' | 'redis';

const names: Record<ServerKind, string> = { mysql: 'no MySQL or MariaDB server', redis: 'no Redis or Valkey server' };
const variables: Record<ServerKind, string> = { mysql: 'DATABASE_URL', redis: 'REDIS_URL' };

/** How each system installs them, the command first. */
const commands: readonly (readonly [string, string, Record<ServerKind, string>])[] = [
  ['Debian, Ubuntu', 'sudo apt-get install', { mysql: 'mariadb-server', redis: 'redis-server' }],
  ['Fedora', 'sudo dnf install', { mysql: 'mariadb-server', redis: 'valkey' }],
  ['Alpine', 'apk add', { mysql: 'mariadb', redis: 'redis' }],
  ['macOS', 'brew install', { mysql: 'mariadb', redis: 'redis' }],
];

/** One message that says exactly what to install when this machine has no server to use. */
export function installProblem(missing: readonly ServerKind[]): string {
  const what = missing.map((kind) => names[kind]).join(' and ');
  const width = Math.max(...commands.map(([system]) => system.length));
  return [
    `This machine has ${what}. Install it (it need not be running):`,
    ...commands.map(
      ([system, command, packages]) =>
        `  ${system.padEnd(width)}  ${command} ${missing.map((kind) => packages[kind]).join(' ')}`,
    ),
    `or set ${missing.map((kind) => variables[kind]).join(' and ')} to a running one, and start again.`,
  ].join('\n');
}
