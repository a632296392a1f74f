import { padded, placeholders, type Sql, toSqlTime } from '../engine/db';
import { removeInBatches } from '../engine/redis';
import type { Services } from '../services';
import type { EmailStatus } from './statuses';

/** E-mails of one statement. */
const BATCH = 512;
/** What became of the e-mail is known. */
const ended: readonly EmailStatus[] = ['sent', 'delivered', 'bounced', 'complained', 'failed'];

interface FoundEmail {
  id: number;
  status: EmailStatus;
  createdAt: string;
  hasJob: 0 | 1;
}

/**
 * Removes e-mails that are older than `EMAILS_KEPT_DAYS`, until the deadline. Returns how many. One that has not ended stays, and so does
 * one whose job is still there: it can be retried.
 */
export async function removeOldEmails({ sql, clock, config, queues }: Services, deadline: number): Promise<number> {
  if (config.emailsKeptDays === Infinity) return 0;
  const before = toSqlTime(new Date(clock.now().getTime() - config.emailsKeptDays * 86_400_000));
  return removeInBatches(queues.redis, `${config.redisPrefix}:clean-up:emails-from`, deadline, async (after) => {
    // Ids increase with the time of the e-mails, but for those that are requested at the same time.
    const found = await sql.rows<FoundEmail>(
      `SELECT e.id, e.status, e.createdAt,
          EXISTS (SELECT 1 FROM jobs j WHERE j.companyId = e.companyId AND j.id = e.jobId) AS hasJob
        FROM emails e FORCE INDEX (emails_id) WHERE e.id > ? ORDER BY e.id LIMIT ${BATCH}`,
      [after],
    );
    const old = found.filter(({ createdAt }) => createdAt < before);
    const ids = old.filter(({ status, hasJob }) => hasJob === 0 && ended.includes(status)).map(({ id }) => id);
    const removed = ids.length === 0 ? 0 : await remove(sql, ids);
    return { removed, next: old.length < BATCH ? null : (found.at(-1)?.id ?? null) };
  });
}

async function remove(sql: Sql, ids: readonly number[]): Promise<number> {
  const listed = padded(ids);
  const { affectedRows } = await sql.run(
    `DELETE FROM emails WHERE id IN (${placeholders(listed.length)}) AND status IN (${placeholders(ended.length)})`,
    [...listed, ...ended],
  );
  return affectedRows;
}
