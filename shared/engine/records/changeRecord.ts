import type { FindOptions, InferAttributes, Model, ModelStatic } from 'sequelize';
import type { UnitOfWork } from '../db';
import { NotFound } from '../errors';
import { type EventType, recordEvent, type SchemaOf } from '../events';
import type { StaticOf } from '../schemas';
import { changedFields, type changedField } from './changedFields';
import type { enteredFields } from './enteredStatus';
import { checkVersion } from './entityTag';
import { nextUpdatedAt } from './nextUpdatedAt';
import { countRecord, type Counted, type CountedKind } from './recordCounts';
import { readRecord, type RecordSource } from './source';

/** The columns that every record has which is changed here. */
interface ChangeableModel extends Model {
  id: number;
  updatedAt: Date;
  softDelete: boolean;
}

/** Describes how a kind of record is read, locked, compared and recorded. `Facts` are the fields of the record in each of its events. */
export interface RecordKind<
  M extends ChangeableModel,
  Row extends object,
  Facts extends object = object,
> extends RecordSource<Row> {
  readonly model: ModelStatic<M>;
  /** The entity tag of a record as it is shown. */
  tagOf(row: Row): string;
  /** The fields that `….updated` events compare. Each is a column of the model, or this does not compile. */
  readonly changeable: readonly (keyof InferAttributes<M> & string)[];
  /** How `….updated` events show a column; absent: the stored values. */
  readonly eventValue?: (name: string, value: unknown) => unknown;
  readonly events: {
    readonly updated: EventType<SchemaOf<Facts & StaticOf<typeof changedField>>>;
    readonly deleted: EventType<SchemaOf<Facts>>;
  };
  /** The fields of the record in each event, so that a consumer need not read it. */
  facts(record: M): Facts;
  /** Whether totals are kept ({@link countRecord}). */
  readonly counted?: CountedKind;
  /** The event that each status records when a record enters it. */
  entered?(status: string): EventType<SchemaOf<Facts & StaticOf<typeof enteredFields>>> | null;
}

export interface Change<M> {
  /** The value of `If-Match`, or null. */
  ifMatch?: string | null;
  /** Checks the references of the request. `found` is null where the record is absent; `NotFound` follows. */
  readonly references?: (found: M | null) => Promise<void>;
  /** Changes the locked record; it is saved afterwards. */
  readonly apply: (record: M) => Promise<void> | void;
  /** Parts that the `….updated` event calls replaced, beside the changed fields. */
  replaced?: readonly string[];
}

/** Returns the record, locked until the end of the transaction; null when absent, deleted or another company's. */
export async function lockRecord<M extends ChangeableModel, Row extends object, Facts extends object>(
  { companyId, transaction }: UnitOfWork,
  { model }: RecordKind<M, Row, Facts>,
  id: number,
): Promise<M | null> {
  const options = { where: { companyId, id, softDelete: false }, lock: transaction.LOCK.UPDATE, transaction };
  return model.findOne(options as FindOptions);
}

/**
 * Changes a record: locks it, compares its version, applies the change, raises `updatedAt`, saves it, records its events and keeps the
 * totals of lists. Returns it as GET shows it.
 * @throws {ValidationFailed} of `references`; {@link NotFound} when absent, deleted or another company's; {@link PreconditionFailed}; the
 * errors of `apply`; in this order.
 */
export async function changeRecord<M extends ChangeableModel, Row extends object, Facts extends object>(
  uow: UnitOfWork,
  kind: RecordKind<M, Row, Facts>,
  id: number,
  { ifMatch = null, references, apply, replaced = [] }: Change<M>,
): Promise<Row> {
  const found = await lockRecord(uow, kind, id);
  await references?.(found);
  if (found === null) throw new NotFound(kind.name);
  if (ifMatch !== null) checkVersion(ifMatch, kind.tagOf(await readRecord(uow.sql, uow.companyId, kind, id)));
  await saveChanged(uow, kind, found, apply, replaced);
  return readRecord(uow.sql, uow.companyId, kind, id);
}

/**
 * Applies a change to a locked record: the last part of {@link changeRecord}. Without `replaced` no `….updated` event is recorded: a job
 * that moves an invoice to another status records an event of its own.
 */
export async function saveChanged<M extends ChangeableModel, Row extends object, Facts extends object>(
  uow: UnitOfWork,
  kind: RecordKind<M, Row, Facts>,
  record: M,
  apply: (record: M) => Promise<void> | void,
  replaced: readonly string[] | null = null,
): Promise<void> {
  const before = { ...(record.get({ plain: true }) as Counted) };
  await apply(record);
  record.updatedAt = nextUpdatedAt(uow.now, record.updatedAt);
  await record.save({ transaction: uow.transaction });
  const after = record.get({ plain: true }) as Counted;
  const facts = kind.facts(record);
  const entered = after.status === undefined || after.status === before.status ? null : kind.entered?.(after.status);
  if (entered) recordEvent(uow, entered, record.id, { ...facts, from: before.status ?? null });
  if (replaced !== null) {
    const changed = {
      ...changedFields(kind.changeable, shown(kind, before), shown(kind, after)),
      ...Object.fromEntries(replaced.map((name) => [name, 'replaced' as const])),
    };
    recordEvent(uow, kind.events.updated, record.id, { ...facts, changed });
  }
  if (kind.counted !== undefined) await countRecord(uow, kind.counted, before, after);
}

/**
 * Soft-deletes a record: it stays, and is shown where others refer to it.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export async function deleteRecord<M extends ChangeableModel, Row extends object, Facts extends object>(
  uow: UnitOfWork,
  kind: RecordKind<M, Row, Facts>,
  id: number,
  ifMatch: string | null,
  also: (record: M) => Promise<void> | void = () => undefined,
): Promise<void> {
  const found = await lockRecord(uow, kind, id);
  if (found === null) throw new NotFound(kind.name);
  if (ifMatch !== null) checkVersion(ifMatch, kind.tagOf(await readRecord(uow.sql, uow.companyId, kind, id)));
  await saveChanged(uow, kind, found, (record) => {
    record.softDelete = true;
    return also(record);
  });
  recordEvent(uow, kind.events.deleted, id, kind.facts(found));
}

/** Returns a record as its events show it. */
function shown(
  { eventValue }: { readonly eventValue?: (name: string, value: unknown) => unknown },
  record: object,
): Record<string, unknown> {
  if (eventValue === undefined) return { ...record };
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, eventValue(name, value)]));
}
