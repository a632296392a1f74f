import type { Static, TSchema } from '@sinclair/typebox';
import { insertRows } from '../database/insert';
import type { UnitOfWork } from '../database/unitOfWork';

/** One type of event: its name (past tense, `subject.verb`; additions only), and the schema of its `data`. */
export interface EventType<Data extends TSchema = TSchema> {
  readonly type: string;
  /** What it happened to: `invoice`, `expense` … */
  readonly subject: string;
  readonly data: Data;
}

/** Describes a type of event; its subject is what its name begins with, unless another is given. */
export function eventType<const Data extends TSchema>(
  type: string,
  data: Data,
  subject = type.slice(0, type.indexOf('.')),
): EventType<Data> {
  return { type, subject, data };
}

/**
 * Writes what happened beside the change itself, in its transaction: the one record from which feed, timeline and audit
 * are read. `data` carries ids and changed fields, never secrets.
 */
export async function recordEvent<Data extends TSchema>(
  uow: UnitOfWork,
  event: EventType<Data>,
  subjectId: number,
  data: Static<Data>,
): Promise<void> {
  await recordEvents(uow, event, [{ id: subjectId, data }]);
}

/** {@link recordEvent} for many subjects to which the same happened, in few statements. */
export async function recordEvents<Data extends TSchema>(
  uow: UnitOfWork,
  { type, subject }: EventType<Data>,
  subjects: readonly { id: number; data: Static<Data> }[],
): Promise<void> {
  const rows = subjects.map(({ id, data }) => ({
    companyId: uow.companyId,
    type,
    actor: uow.actor,
    subjectType: subject,
    subjectId: id,
    data: JSON.stringify(data),
    createdAt: uow.now,
  }));
  await insertRows(uow.sql, 'events', rows);
}
