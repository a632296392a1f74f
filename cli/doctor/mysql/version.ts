import { broken, type Finding, ok } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';

const oldest = { MySQL: [8, 0], MariaDB: [10, 6] } as const;

/** Checks that the server is MySQL 8.0 or MariaDB 10.6, or newer. */
export async function checkVersion(sql: Sql): Promise<Finding> {
  const [row] = await sql.rows<{ version: string }>('SELECT VERSION() AS version');
  return versionFinding(row?.version ?? '');
}

/** Judges a text of `VERSION()`, such as `8.4.2` or `10.11.6-MariaDB`. */
export function versionFinding(version: string): Finding {
  const product = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  const [major = 0, minor = 0] = version.split('.', 2).map((part) => parseInt(part, 10));
  const [oldestMajor, oldestMinor] = oldest[product];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(`${product} ${version}`);
  return broken(
    `${product} ${version} is too old`,
    `Use ${product} ${oldestMajor}.${oldestMinor} or newer: the service needs its locks and JSON functions.`,
  );
}
