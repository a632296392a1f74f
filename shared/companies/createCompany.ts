import { addDays, dayIn } from '../dates/dates';
import type { InstallationWork } from '../engine/db';
import { recordEvent } from '../engine/events';
import { Company } from './Company';
import { companyEvents } from './events';
import { remindersAfter } from './updateCompany';
import { company, getCompany, type CompanyInput, type CompanyRecord } from './record';

/**
 * Creates a tenant. The defaults are IDR, `en`, Asia/Jakarta and `INV-{YYYY}-{SEQ:5}`. The calendar of a sandbox can run ahead of the
 * clock.
 */
export async function createCompany(
  work: InstallationWork,
  input: CompanyInput & { name: string },
  { isSandbox = false } = {},
): Promise<CompanyRecord> {
  const { now, transaction } = work;
  const columns = company.newColumns(input);
  const reminders = remindersAfter({ ...columns, reminderDays: '[]' }, columns, now);
  const { id } = await Company.create(
    {
      ...columns,
      ...reminders,
      sandboxDay: isSandbox ? addDays(dayIn(columns.timezone, now), -1) : null,
      logoKey: null,
      createdAt: now,
      updatedAt: now,
    },
    { transaction },
  );
  recordEvent(work.forCompany(id), companyEvents.created, id, { name: input.name });
  return getCompany(work.sql, id);
}
