import type { Company } from '../../database/models';
import { toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { DateOnly } from '../../domain/dates';
import { recurringExpenses } from './recurringExpenses';
import { recurringInvoices } from './recurringInvoices';
import { dueAtOf } from './SeriesState';

/**
 * Computes anew when the series of a company are due, after its time zone was changed, and has its overdue invoices looked for
 * at once: its day may be another one now. The caller has locked the company, for which everybody waits who dates a series.
 */
export async function moveMidnight(uow: UnitOfWork, company: Company): Promise<void> {
  for (const { table } of [recurringExpenses, recurringInvoices]) {
    const due = await uow.sql.rows<{ dueAt: string; nextDueDate: DateOnly }>(
      `SELECT DISTINCT dueAt, nextDueDate FROM ${table} FORCE INDEX (PRIMARY) WHERE companyId = ? AND dueAt IS NOT NULL`,
      [uow.companyId],
    );
    for (const { dueAt, nextDueDate } of due) {
      await uow.sql.run(`UPDATE ${table} SET dueAt = ? WHERE dueAt = ? AND companyId = ? AND nextDueDate = ?`, [
        toSqlTime(dueAtOf(nextDueDate, company.timezone)),
        dueAt,
        uow.companyId,
        nextDueDate,
      ]);
    }
  }
  await company.update({ overdueCheckAt: uow.now }, { transaction: uow.transaction });
}
