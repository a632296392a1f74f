import { placeholders, type UnitOfWork } from '../engine/db';
import { AppError } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { emailEvents, obstacles } from './events';
import { skipReasons } from './reminderOf';
import { requestInvoiceEmail } from './requestInvoiceEmail';

/**
 * Requests the e-mails of new occurrences whose series has `autoSend`, as a request of send-email would, in the unit of work that
 * creates the occurrences. Where the client has no address, or the company is no sender, an event says so instead.
 */
export async function emailOccurrences(uow: UnitOfWork, invoiceIds: readonly number[]): Promise<void> {
  const rows = await uow.sql.rows<{ id: number }>(
    `SELECT i.id FROM invoices i JOIN invoices s ON s.companyId = i.companyId AND s.id = i.seriesId
      WHERE i.companyId = ? AND i.id IN (${placeholders(invoiceIds.length)}) AND s.autoSend = 1 ORDER BY i.id`,
    [uow.companyId, ...invoiceIds],
  );
  for (const { id } of rows) {
    try {
      await requestInvoiceEmail(uow, id);
    } catch (error) {
      // Thrown before anything of the e-mail is written.
      const reason = obstacles.find((code) => error instanceof AppError && error.code === code);
      if (reason === undefined) throw error;
      recordEvent(uow, emailEvents.skipped, id, { reason, message: skipReasons[reason] });
    }
  }
}
