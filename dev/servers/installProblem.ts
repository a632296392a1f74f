/** The servers that the service needs, and those of the tests of the files in `ops`. */
export type ServerKind = 'mysql' | 'redis' | 'prometheus' | 'haproxy' | 'nginx';

const names: Record<ServerKind, string> = {
  mysql: 'no MySQL or MariaDB server',
  redis: 'no Redis or Valkey server',
  prometheus: 'no Prometheus',
  haproxy: 'no HAProxy',
  nginx: 'no nginx',
};
/** The variables that name a running server instead. */
const variables: Partial<Record<ServerKind, string>> = { mysql: 'DATABASE_URL', redis: 'REDIS_URL' };

const sameEverywhere = { haproxy: 'haproxy', nginx: 'nginx' };

/** The packages of Debian and Ubuntu. */
export const debianPackages: Record<ServerKind, string> = {
  ...sameEverywhere,
  mysql: 'mariadb-server',
  redis: 'redis-server',
  prometheus: 'prometheus',
};

/** The system, the command, and its packages. */
const commands: readonly (readonly [string, string, Record<ServerKind, string>])[] = [
  ['Debian, Ubuntu', 'sudo apt-get install', debianPackages],
  [
    'Fedora',
    'sudo dnf install',
    { ...sameEverywhere, mysql: 'mariadb-server', redis: 'valkey', prometheus: 'golang-github-prometheus' },
  ],
  ['Alpine', 'apk add', { ...sameEverywhere, mysql: 'mariadb', redis: 'redis', prometheus: 'prometheus' }],
  ['macOS', 'brew install', { ...sameEverywhere, mysql: 'mariadb', redis: 'redis', prometheus: 'prometheus' }],
];

/** Returns the message for missing servers, with the commands that install them. */
export function installProblem(missing: readonly ServerKind[]): string {
  const what = missing.map((kind) => names[kind]).join(' and ');
  const width = Math.max(...commands.map(([system]) => system.length));
  const settable = missing.map((kind) => variables[kind]).filter((name) => name !== undefined);
  return [
    `This machine has ${what}. Install it (it need not be running):`,
    ...commands.map(
      ([system, command, packages]) =>
        `  ${system.padEnd(width)}  ${command} ${missing.map((kind) => packages[kind]).join(' ')}`,
    ),
    ...(settable.length > 0 ? [`or set ${settable.join(' and ')} to a running one, and start again.`] : []),
  ].join('\n');
}
