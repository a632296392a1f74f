import { addDays, type DateOnly } from '../dates/dates';
import type { Sql } from '../engine/db';
import type { Reminder } from '../emails';
import { type InvoiceStatus, remindedStatuses } from '../invoices';

/** Invoices of one transaction. */
const BATCH = 50;

/** The days whose reminders are due: after `after`, up to `until`. */
export interface Days {
  after: DateOnly;
  until: DateOnly;
}

/** A reminder that is due and not recorded yet. */
export type DueReminder = Reminder & { id: number };

/** A range to read: due dates of one status for one relative day. */
interface Range {
  status: InvoiceStatus;
  relativeDay: number;
  /** Due dates after `after`, up to `until`. */
  dueAfter: DateOnly;
  dueUntil: DateOnly;
}

/**
 * Returns the ranges of due dates whose latest reminder is of one relative day. For [-3, 0] and the days of an outage, a due date in
 * the range of 0 is not in the range of -3: only the latest missed reminder of an invoice is due.
 */
export function rangesOf(relativeDays: readonly number[], { after, until }: Days): Range[] {
  const days = [...relativeDays].sort((a, b) => b - a);
  return days.flatMap((relativeDay, index) => {
    const later = days[index - 1];
    const dueUntil = addDays(until, -relativeDay);
    const missed = addDays(after, -relativeDay);
    const ofLater = later === undefined ? null : addDays(until, -later);
    if (dueUntil === null || missed === null) return [];
    const dueAfter = ofLater !== null && ofLater > missed ? ofLater : missed;
    if (dueAfter >= dueUntil) return [];
    return remindedStatuses.map((status) => ({ status, relativeDay, dueAfter, dueUntil }));
  });
}

/** Reads the next due reminders of a range along the index of due dates, those after `position`. Locks nothing. */
export async function readDue(
  sql: Sql,
  companyId: number,
  { status, relativeDay, dueAfter, dueUntil }: Range,
  position: DueReminder | null,
): Promise<{ due: DueReminder[]; last: DueReminder | null }> {
  const from = position === null ? '' : 'AND (i.dueDate > ? OR (i.dueDate = ? AND i.id > ?))';
  const found = await sql.rows<{ id: number; dueDate: DateOnly; isRecorded: 0 | 1 }>(
    `SELECT i.id, i.dueDate, EXISTS (SELECT 1 FROM reminders r WHERE r.companyId = i.companyId AND r.invoiceId = i.id
        AND r.dueDate = i.dueDate AND r.relativeDay >= ?) AS isRecorded
      FROM invoices i FORCE INDEX (invoices_overdue)
      WHERE i.companyId = ? AND i.softDelete = 0 AND i.status = ? AND i.dueDate > ? AND i.dueDate <= ? ${from}
      ORDER BY i.dueDate, i.id LIMIT ${BATCH}`,
    [
      ...[relativeDay, companyId, status, dueAfter, dueUntil],
      ...(position === null ? [] : [position.dueDate, position.dueDate, position.id]),
    ],
  );
  const read = found.map(({ id, dueDate }) => ({ id, dueDate, relativeDay }));
  const due = read.filter((_, index) => found[index]?.isRecorded === 0);
  return { due, last: found.length < BATCH ? null : (read.at(-1) ?? null) };
}
