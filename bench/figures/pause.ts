import { setTimeout as sleep } from 'node:timers/promises';
import { requestInvoiceEmail } from '../../shared/emails';
import { pauseQueue, resumeQueue } from '../../shared/engine/jobs/queuePauses';
import { sentInvoices } from '../rows/sendEmail';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';

/** More e-mails than are sent before the pause. */
const emails = 10_000;
const silentMs = 10_000;

/** How long the queue of e-mails goes on after an operator has paused it, and how long until it runs again. */
export const pause: Figure = {
  name: 'pause',
  what: 'pausing and resuming the queue of e-mails',
  async measure(bench, quick) {
    const { services, seeded } = bench.installation;
    const { sql } = services;
    const invoiceIds = await sentInvoices(bench);
    const count = quick ? 3_000 : emails;
    const scope = { companyId: seeded.companyId, actor: 'bench' };
    for (let recorded = 0; recorded < count; recorded += invoiceIds.length) {
      await services.perform(scope, async (uow) => {
        for (const invoiceId of invoiceIds) await requestInvoiceEmail(uow, invoiceId);
      });
    }
    await started(bench);
    const pausedAt = await databaseTime(bench);
    await pauseQueue(sql, 'email');
    await sleep(silentMs);
    const last = await startOf(bench, 'MAX', pausedAt);
    const resumedAt = await databaseTime(bench);
    await resumeQueue(sql, 'email');
    const first = await started(bench, resumedAt);
    await sql.run("UPDATE jobs SET status = 'failed' WHERE companyId = ? AND status = 'pending'", [seeded.companyId]);
    return [
      {
        what: 'seconds from the pause until the last job starts',
        value: last === null ? 0 : (last - pausedAt) / 1000,
        atMost: 5,
      },
      { what: 'seconds from resuming until the first job starts', value: (first - resumedAt) / 1000, atMost: 5 },
    ];
  },
};

/** Waits until an e-mail job has started after this time. Returns when. */
async function started(bench: Bench, since = 0): Promise<number> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const at = await startOf(bench, 'MIN', since);
    if (at !== null) return at;
  }
  throw new Error('no e-mail job has started within a minute');
}

/** The first or the last start of an e-mail job after a time, in milliseconds of MySQL's clock; null when none has started. */
async function startOf({ installation }: Bench, which: 'MIN' | 'MAX', since: number): Promise<number | null> {
  const [row] = await installation.services.sql.rows<{ at: string | null }>(
    `SELECT UNIX_TIMESTAMP(${which}(startedAt)) * 1000 AS at FROM jobs
      WHERE queue = 'email' AND startedAt > FROM_UNIXTIME(?)`,
    [since / 1000],
  );
  const at = row?.at ?? null;
  return at === null ? null : Number(at);
}

async function databaseTime({ installation }: Bench): Promise<number> {
  const [row] = await installation.services.sql.rows<{ at: string }>(
    'SELECT UNIX_TIMESTAMP(UTC_TIMESTAMP(3)) * 1000 AS at',
  );
  return Number(row?.at);
}
