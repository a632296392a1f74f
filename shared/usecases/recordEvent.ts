import { insertRows } from '../database/insert';
import type { UnitOfWork } from '../database/unitOfWork';

export type SubjectType = 'invoice' | 'expense' | 'client' | 'category' | 'receipt' | 'company' | 'api_key' | 'job';

/** Names of events are past tense, `subject.verb`; additions only. */
export type EventType =
  | `invoice.${'created' | 'updated' | 'deleted' | 'sent' | 'paid' | 'overdue' | 'email.requested' | 'payment_link.requested' | 'payment_link.created' | 'payment_link.expired'}`
  | `email.${'sent' | 'failed' | 'uncertain'}`
  | 'payment.received'
  | `expense.${'created' | 'updated' | 'deleted'}`
  | 'receipt.created'
  | `client.${'created' | 'updated' | 'deleted'}`
  | `category.${'created' | 'updated' | 'deleted'}`
  | `company.${'created' | 'updated'}`
  | `api_key.${'created' | 'revoked'}`
  | 'job.retried';

/**
 * Writes what happened beside the change itself, in its transaction: the one record from which feed, timeline and audit
 * are read. `data` carries ids and changed fields, never secrets.
 */
export async function recordEvent(
  uow: UnitOfWork,
  type: EventType,
  subject: { type: SubjectType; id: number },
  data: object = {},
): Promise<void> {
  await recordEvents(uow, type, subject.type, [{ id: subject.id, data }]);
}

/** {@link recordEvent} for many subjects to which the same happened, in few statements. */
export async function recordEvents(
  uow: UnitOfWork,
  type: EventType,
  subjectType: SubjectType,
  subjects: readonly { id: number; data: object }[],
): Promise<void> {
  const rows = subjects.map(({ id, data }) => ({
    companyId: uow.companyId,
    type,
    actor: uow.actor,
    subjectType,
    subjectId: id,
    data: JSON.stringify(data),
    createdAt: uow.now,
  }));
  await insertRows(uow.sql, 'events', rows);
}

/** The fields whose values differ, as `{ field: [before, after] }`; for the `data` of `….updated` events. */
export function changedFields<T extends object>(before: T, after: T): Partial<Record<keyof T, [unknown, unknown]>> {
  const changes: Partial<Record<keyof T, [unknown, unknown]>> = {};
  for (const field of Object.keys(after) as (keyof T)[]) {
    if (JSON.stringify(before[field]) !== JSON.stringify(after[field])) changes[field] = [before[field], after[field]];
  }
  return changes;
}
