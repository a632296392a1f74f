import type { InferAttributes } from 'sequelize';
import type { UnitOfWork } from '../engine/db';
import { addDays, dayIn } from '../dates/dates';
import { NotFound } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { changedFields, checkVersion, entityTag, nextUpdatedAt } from '../engine/records';
import { moveMidnight } from '../recurrence';
import { Company } from './Company';
import { companyEvents } from './events';
import { company, getCompany, type CompanyInput, type CompanyRecord } from './record';

/**
 * Changes the given fields. With the time zone everything that is due at the company's midnight moves. Invoices that have left `draft` keep
 * printing the old sender. Without a name or an e-mail address none can be sent.
 * @throws {NotFound}, {@link PreconditionFailed}.
 */
export async function updateCompany(
  uow: UnitOfWork,
  changes: CompanyInput,
  ifMatch: string | null = null,
): Promise<CompanyRecord> {
  await changeCompany(uow, { ...company.toColumns(changes) }, ifMatch);
  return getCompany(uow.sql, uow.companyId);
}

/**
 * Changes the company of a unit of work: locks it, compares its version, saves it, moves dates that depend on its time zone and records the
 * event. Returns its previous columns.
 * @throws {NotFound}, {@link PreconditionFailed}.
 */
export async function changeCompany(
  uow: UnitOfWork,
  columns: Partial<InferAttributes<Company>>,
  ifMatch: string | null = null,
): Promise<InferAttributes<Company>> {
  const { companyId, now, transaction } = uow;
  const found = await Company.findOne({ where: { id: companyId }, lock: transaction.LOCK.UPDATE, transaction });
  if (found === null) throw new NotFound('company');
  checkVersion(ifMatch, entityTag(found.updatedAt));
  const before = { ...found.get({ plain: true }) };
  const isMoved = columns.timezone !== undefined && columns.timezone !== before.timezone;
  // Another day may have begun there: the next scan looks for its overdue invoices.
  const moved = {
    ...(isMoved && { overdueCheckAt: now }),
    ...remindersAfter(before, { ...before, ...columns }, now),
  };
  await found.update({ ...columns, ...moved, updatedAt: nextUpdatedAt(now, before.updatedAt) }, { transaction });
  if (isMoved) await moveMidnight(uow, found.timezone);
  const changed = changedFields([...company.changeable, 'logoKey'], { ...before }, { ...found.get({ plain: true }) });
  recordEvent(uow, companyEvents.updated, companyId, { name: found.name, changed });
  return before;
}

type Reminding = Pick<InferAttributes<Company>, 'reminderDays' | 'timezone'>;

/** Returns the further changes after a change of the reminder days or the time zone: new days count from today on. */
export function remindersAfter(before: Reminding, after: Reminding, now: Date): Partial<InferAttributes<Company>> {
  const isOther = after.reminderDays !== before.reminderDays;
  if (!isOther && (after.timezone === before.timezone || after.reminderDays === '[]')) return {};
  return {
    reminderCheckAt: after.reminderDays === '[]' ? null : now,
    ...(isOther && { remindedUntil: addDays(dayIn(after.timezone, now), -1) }),
  };
}
