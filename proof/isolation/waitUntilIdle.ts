import { setTimeout as sleep } from 'node:timers/promises';
import { renderQueueNames } from '../../config/queues';
import { HttpClient } from '../installation/HttpClient';
import type { Installation } from '../../dev/installation/startInstallation';

const idleWithinMs = 8_000;
const fastMs = 100;
const idleChecks = 3;

/**
 * Waits until the installation has finished the work of an attack. If that takes too long, restarts the API and the
 * worker, drops the waiting work, and returns false: they need a warm-up.
 */
export async function waitUntilIdle(installation: Installation): Promise<boolean> {
  await removeEndpoints(installation);
  const deadline = Date.now() + idleWithinMs;
  for (let idle = 0; Date.now() < deadline; await sleep(100)) {
    idle = (await isIdle(installation)) ? idle + 1 : 0;
    if (idle === idleChecks) return true;
  }
  await restartProcesses(installation);
  return false;
}

/** Restarts the API and the worker with these variables, and drops the waiting work. */
export async function restartProcesses(
  installation: Installation,
  variables: Record<string, string> = {},
): Promise<void> {
  const { apis, workers, services } = installation;
  const machines = [...workers, ...apis].map(({ machine }) => machine);
  await Promise.all(machines.map((machine) => machine.kill()));
  await removeEndpoints(installation);
  await services.sql.run(
    "UPDATE jobs SET status = 'failed', dedupeKey = NULL, endedAt = UTC_TIMESTAMP(3) WHERE status IN ('pending', 'running')",
  );
  await services.sql.run("DELETE FROM webhook_deliveries WHERE status = 'pending'");
  // The invoice series of attacks. Those of a sandbox are left to its runs.
  await services.sql.run(
    `UPDATE invoices JOIN companies ON companies.id = companyId SET dueAt = NULL
      WHERE dueAt <= UTC_TIMESTAMP(3) AND sandboxDay IS NULL`,
  );
  await services.queues.redis.flushall();
  await Promise.all(machines.map((machine) => machine.start(variables)));
}

/** Removes the endpoints of an attack, whose receivers have ended. There are no others. */
async function removeEndpoints({ services }: Installation): Promise<void> {
  await services.sql.run('UPDATE webhook_endpoints SET enabled = 0, softDelete = 1 WHERE softDelete = 0');
}

async function isIdle({ apis, workers, services }: Installation): Promise<boolean> {
  if (![...apis, ...workers].every(({ machine }) => machine.runs)) return false;

  const [waiting] = await services.sql.rows<{ count: number }>(
    "SELECT COUNT(*) AS count FROM jobs WHERE status IN ('pending', 'running')",
  );
  if (Number(waiting?.count) > 0) return false;
  const endpoints = await services.sql.rows(
    'SELECT 1 FROM webhook_endpoints WHERE leaseUntil > UTC_TIMESTAMP(3) LIMIT 1',
  );
  if (endpoints.length > 0) return false;
  const deliveries = await services.sql.rows("SELECT 1 FROM webhook_deliveries WHERE status = 'pending' LIMIT 1");
  if (deliveries.length > 0) return false;
  const queues = await Promise.all(
    ([...renderQueueNames, 'webhook', 'schedule'] as const).map((name) => services.queues.counts(name)),
  );
  if (queues.some((counts) => Object.values(counts).some((count) => count > 0))) return false;
  const client = new HttpClient(apis[0]?.url ?? '');
  try {
    const begun = performance.now();
    await client.send({ path: '/readyz', timeoutMs: 2_000 });
    return performance.now() - begun < fastMs;
  } catch {
    // The API does not respond yet; the caller has a time limit.
    return false;
  } finally {
    client.close();
  }
}
