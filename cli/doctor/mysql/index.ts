import type { Config } from '../../../config/env';
import type { Check, Finding } from '../../../shared/engine/checks';
import { DatabaseClock, openDatabase, pooledSql, type Sql } from '../../../shared/engine/db';
import { createLogger } from '../../../shared/engine/log';
import { checkClock } from './clock';
import { checkConnection } from './connection';
import { checkDurability } from './durability';
import { checkMaxConnections } from './maxConnections';
import { checkMigrations } from './migrations';
import { checkPrivileges } from './privileges';
import { checkReplica } from './replica';
import { checkSession } from './session';
import { checkVersion } from './version';

export interface MysqlChecks {
  readonly checks: readonly Check[];
  readonly connection: Check;
  /** The check that the tables of this version exist. */
  readonly migrations: Check;
  readonly sql: Sql;
  close(): Promise<void>;
}

/** The checks of the database that the configuration names, over connections as the service opens them. */
export function mysqlChecks(config: Config): MysqlChecks {
  const clock = new DatabaseClock(createLogger('silent', 'doctor'));
  const sequelize = openDatabase({ ...config, databasePoolSize: 3 }, [], clock);
  const sql = pooledSql(sequelize);
  const connection: Check = {
    name: 'MySQL: connection',
    variables: ['DATABASE_URL'],
    run: () => checkConnection(sql, config.databaseUrl),
  };
  const check = (name: string, run: () => Promise<Finding>): Check => ({
    name: `MySQL: ${name}`,
    needs: connection,
    run,
  });
  const migrations = check('migrations', () => checkMigrations(sql));
  const { databaseReadUrl } = config;
  const replica: Check[] =
    databaseReadUrl === null
      ? []
      : [
          {
            name: 'MySQL: replica',
            variables: ['DATABASE_READ_URL'],
            needs: migrations,
            run: () => checkReplica(sql, { ...config, databaseUrl: databaseReadUrl }),
          },
        ];
  return {
    checks: [
      connection,
      check('version', () => checkVersion(sql)),
      check('session', () => checkSession(sql)),
      check('durable commits', () => checkDurability(sql)),
      check('connections', () => checkMaxConnections(sql, config.databasePoolSize)),
      migrations,
      check('privileges', () => checkPrivileges(sql)),
      check('clock', () => checkClock(sql, clock)),
      ...replica,
    ],
    connection,
    migrations,
    sql,
    close: () => sequelize.close(),
  };
}
