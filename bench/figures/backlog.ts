import { setTimeout as sleep } from 'node:timers/promises';
import { transactionSql } from '../../shared/engine/db/sql';
import { lockDue } from '../../shared/engine/jobs/dueForRelay';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';

const batch = 500;
const few = 1_000;
const many = { full: 1_000_000, quick: 50_000 };
const seconds = { full: 10, quick: 4 };

/** How fast workers drain jobs that became due during an outage, and what the relay locks for a batch of them. */
export const backlog: Figure = {
  name: 'backlog',
  what: 'draining a million due jobs against a thousand',
  async measure(bench, quick) {
    const size = quick ? 'quick' : 'full';
    // They ask for nothing outside: the links of an invoice that has none are expired.
    const ofFew = await drainRate(bench, few, seconds[size]);
    const ofMany = await drainRate(bench, many[size], seconds[size]);
    const locked = await locksOfBatch(bench);
    await clear(bench);
    return [
      { what: `rows that the relay locks for a batch, against ${batch}`, value: locked / batch, atMost: 2 },
      {
        what: 'time for a job of a thousand, against that for a job of the many',
        value: ofFew / ofMany,
        atMost: 1 / 0.9,
      },
    ];
  },
};

/** Jobs a second that end, of `count` that are due. */
async function drainRate(bench: Bench, count: number, forSeconds: number): Promise<number> {
  const { services, pids, seeded } = bench.installation;
  const { sql } = services;
  process.kill(pids.worker, 'SIGSTOP');
  await clear(bench);
  for (let made = 0; made < count; made += 10_000) {
    await sql.run(
      `INSERT INTO jobs (companyId, name, queue, payload, status, maxAttempt, availableAt, relayAt, createdAt, updatedAt)
        WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99)
        SELECT ?, 'expirePaymentLinks', 'payment-link', '{"invoiceId":1}', 'pending', 8, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3),
          UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM hundred a CROSS JOIN hundred b LIMIT ${Math.min(10_000, count - made)}`,
      [seeded.companyId],
    );
  }
  process.kill(pids.worker, 'SIGCONT');
  const ended = async (): Promise<number> => {
    const [row] = await sql.rows<{ ended: number }>(
      "SELECT COUNT(*) AS ended FROM jobs WHERE queue = 'payment-link' AND status IN ('done', 'failed')",
    );
    return row?.ended ?? 0;
  };
  const before = await ended();
  while ((await ended()) === before) await sleep(20);
  const [begun, first] = [performance.now(), await ended()];
  let [last, now] = [first, begun];
  while (now - begun < forSeconds * 1_000 && last - before < count) {
    await sleep(50);
    [last, now] = [await ended(), performance.now()];
  }
  return (last - first) / ((now - begun) / 1_000);
}

async function clear({ installation }: Bench): Promise<void> {
  const text = "DELETE FROM jobs WHERE name = 'expirePaymentLinks' LIMIT 10000";
  while ((await installation.services.sql.run(text)).affectedRows > 0);
}

async function locksOfBatch({ installation }: Bench): Promise<number> {
  const { services } = installation;
  const transaction = await services.sequelize.transaction();
  try {
    const sql = transactionSql(transaction);
    await lockDue(sql, 'payment-link', services.clock.now(), batch);
    const [row] = await sql.rows<{ locked: number }>(
      'SELECT trx_rows_locked AS locked FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID()',
    );
    return Number(row?.locked);
  } finally {
    await transaction.rollback();
  }
}
