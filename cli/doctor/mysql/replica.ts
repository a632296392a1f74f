import { setTimeout as sleep } from 'node:timers/promises';
import { broken, type Finding, ok } from '../../../shared/engine/checks';
import { type DatabaseConfig, openDatabase, pooledSql, type Sql } from '../../../shared/engine/db';
import { MAX_LAG_MS, raiseBeat, shownBeat } from '../../../shared/engine/replica';
import { connectionProblem, databaseOf, serverOf } from '../../connectionProblem';

/** Checks that the database of DATABASE_READ_URL shows a change of the primary soon enough to be read. */
export async function checkReplica(primary: Sql, config: DatabaseConfig): Promise<Finding> {
  const { databaseUrl } = config;
  const sequelize = openDatabase({ ...config, databasePoolSize: 1 }, []);
  const replica = pooledSql(sequelize);
  const found = `database ${databaseOf(databaseUrl)} of ${serverOf(databaseUrl)}`;
  try {
    const begun = performance.now();
    const passedMs = (): number => Math.round(performance.now() - begun);
    const number = await raiseBeat(primary);
    while (passedMs() < MAX_LAG_MS) {
      if ((await shownBeat(replica)) >= number) return ok(`${found} showed a change after ${passedMs()} ms`);
      await sleep(20);
    }
    return broken(
      `${found} does not show a change within ${MAX_LAG_MS / 1_000} s: all is read from DATABASE_URL`,
      'Look at its replication (SHOW REPLICA STATUS), or let DATABASE_READ_URL name a replica of this database.',
    );
  } catch (error) {
    const { message, remedy } = connectionProblem(databaseUrl, error);
    return broken(
      message,
      (remedy ?? 'Start the replica, or correct DATABASE_URL.').replaceAll('DATABASE_URL', 'DATABASE_READ_URL'),
    );
  } finally {
    await sequelize.close();
  }
}
