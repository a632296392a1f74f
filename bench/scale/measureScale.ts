import { loadConfig } from '../../config/env';
import { createLogger } from '../../shared/engine/log/log';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { openServices } from '../../shared/openServices';
import { Progress } from '../../cli/Progress';
import { productionVariables } from '../../dev/installation/productionVariables';
import type { Supervisor } from '../../dev/launcher/supervisor';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { startServers } from '../../dev/servers/startServers';
import { scaleReads } from './scaleReads';
import { seedScale } from './seedScale';
import type { Sql } from '../../shared/engine/db';

const sizes = [10_000, 1_000_000] as const;
/** Companies that share the other half of the invoices. */
const OTHERS = 50;

/** The rows and index entries that a read examines, and its statements, for each number of invoices. */
export interface ScaleResult {
  readonly what: string;
  readonly atMost: number | null;
  readonly of: readonly { readonly rows: number; readonly statements: number }[];
}

/**
 * Runs the same reads on a database of 10,000 invoices and on one of 1,000,000, half of them of the company that reads.
 */
export async function measureScale(
  dataDir: string,
  supervisor: Supervisor,
  log: (line: string) => void,
): Promise<ScaleResult[]> {
  const servers = await startServers({ databaseUrl: undefined, redisUrl: undefined, dataDir, log });
  supervisor.add(...servers.started);
  const { databaseUrl, redisUrl } = servers;
  const production = productionVariables({ port: 0, dataDir, databaseUrl, redisUrl, smtpUrl: 'smtp://127.0.0.1:25' });
  const results: ScaleResult[] = scaleReads.map(({ what, atMost }) => ({ what, atMost, of: [] }));
  for (const count of sizes) {
    log(`seeding ${count.toLocaleString('en')} invoices …`);
    const own = databaseUrl.replace(/\/[^/]*$/, `/of_${count}`);
    await ensureDatabase(own);
    await migrateUp(own);
    // One connection, whose reads are counted.
    const config = loadConfig({
      ...production,
      DATABASE_URL: own,
      DATABASE_POOL_SIZE: '1',
      DATABASE_TIMEOUT_MS: '600000',
    });
    const services = openServices({ config, log: createLogger('warn', 'bench'), listenTo: [] });
    await services.sql.run(`SET GLOBAL innodb_buffer_pool_size = ${1024 ** 3}`);
    const progress = new Progress('invoices', count);
    const scale = await seedScale(services, { count, others: OTHERS, report: (seeded) => progress.show(seeded) });
    progress.end();
    for (const [index, { read }] of scaleReads.entries()) {
      const examined = await rowsExamined(services.sql, (sql) => read(sql, scale));
      results[index] = { ...(results[index] as ScaleResult), of: [...(results[index]?.of ?? []), examined] };
    }
    await services.close();
  }
  return results;
}

/**
 * Returns how many rows and entries of indexes MySQL reads in `work`, and in how many statements.
 * @param sql has one connection, whose reads are counted
 */
export async function rowsExamined(
  sql: Sql,
  work: (sql: Sql) => Promise<unknown>,
): Promise<{ rows: number; statements: number }> {
  let statements = 0;
  const counted: Sql = {
    rows: (...given) => ((statements += 1), sql.rows(...given)),
    rowsWithin: (...given) => ((statements += 1), sql.rowsWithin(...given)),
    run: (...given) => ((statements += 1), sql.run(...given)),
  };
  await readsSoFar(sql);
  const first = await readsSoFar(sql);
  // Reading the status counts as well.
  const own = (await readsSoFar(sql)) - first;
  const before = await readsSoFar(sql);
  await work(counted);
  return { rows: (await readsSoFar(sql)) - before - own, statements };
}

/** MariaDB counts index entries that it rejects within the index separately; MySQL does not count them. */
async function readsSoFar(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ Variable_name: string; Value: string }>("SHOW SESSION STATUS LIKE 'Handler_%'");
  const sum = (names: RegExp): number =>
    rows.reduce((total, { Variable_name: name, Value }) => total + (names.test(name) ? Number(Value) : 0), 0);
  return sum(/^Handler_(read_|icp_attempts)/) - sum(/^Handler_icp_match/);
}
