import { toSqlTime, type UnitOfWork } from '../engine/db';
import { toJobError } from '../engine/jobs';
import type { LockedEmail } from './lockEmail';
import { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';

/**
 * Ends the job of an e-mail as it was found out that the e-mail has ended: sent, or not sent with this error. A request that asks
 * for it under its Idempotency-Key gets the new end. Only a job that is uncertain is changed, and a failed one whose e-mail was
 * sent all the same. Returns its id; null when there is none, or when the clean-up has removed it.
 */
export async function settleJob(
  uow: UnitOfWork,
  email: Pick<LockedEmail, 'id' | 'jobId' | 'messageId' | 'providerMessageId'>,
  error: Error | null,
): Promise<number | null> {
  const jobId = await lockJob(uow, email, error === null ? ['uncertain', 'failed'] : ['uncertain']);
  if (jobId === null) return null;
  const result: SendInvoiceEmailResult = { emailId: email.providerMessageId ?? email.messageId };
  const jobError = error && toJobError(error);
  const columns =
    jobError === null
      ? ['done', JSON.stringify(result), null, null]
      : ['failed', null, JSON.stringify(jobError), jobError.code];
  await uow.sql.run(
    'UPDATE jobs SET status = ?, result = ?, lastError = ?, errorCode = ?, updatedAt = ? WHERE companyId = ? AND id = ?',
    [...columns, toSqlTime(uow.now), uow.companyId, jobId],
  );
  return jobId;
}

async function lockJob(
  { sql, companyId }: UnitOfWork,
  { id, jobId }: Pick<LockedEmail, 'id' | 'jobId'>,
  statuses: readonly string[],
): Promise<number | null> {
  const found =
    jobId === null
      ? // The e-mails of earlier versions do not name their job.
        await sql.rows<FoundJob>(
          `SELECT id, status FROM jobs WHERE companyId = ? AND name = ? AND status = 'uncertain'
              AND CAST(JSON_EXTRACT(payload, '$.emailId') AS UNSIGNED) = ? FOR UPDATE`,
          [companyId, sendInvoiceEmail.name, id],
        )
      : await sql.rows<FoundJob>('SELECT id, status FROM jobs WHERE companyId = ? AND id = ? FOR UPDATE', [
          companyId,
          jobId,
        ]);
  return found.find(({ status }) => statuses.includes(status))?.id ?? null;
}

interface FoundJob {
  id: number;
  status: string;
}
