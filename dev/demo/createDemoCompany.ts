import type { InstallationWork, UnitOfWork } from '../../shared/engine/db/unitOfWork';
import { createCategory } from '../../shared/categories';
import { createClient } from '../../shared/clients';
import { createCompany } from '../../shared/companies';
import { addDays, dayIn, LAST_DAY } from '../../shared/dates/dates';
import { createExpense } from '../../shared/expenses';
import { createInvoice } from '../../shared/invoices';
import { demoCategories, demoClients, demoCompany, demoExpenses, demoInvoices } from './demoRecords';

/**
 * Creates the demo company with clients, categories and, unless `empty`, invoices and expenses. Returns its unit of
 * work.
 */
export async function createDemoCompany(work: InstallationWork, { empty }: { empty: boolean }): Promise<UnitOfWork> {
  const company = await createCompany(work, demoCompany, { isSandbox: true });
  const uow = work.forCompany(company.id);
  const clientIds: number[] = [];
  for (const client of demoClients) clientIds.push((await createClient(uow, client)).id);
  const categoryIds: number[] = [];
  for (const name of demoCategories) categoryIds.push((await createCategory(uow, { name })).id);
  if (empty) return uow;

  const today = dayIn(company.timezone, uow.now);
  const dayAfter = (days: number): string => addDays(today, days) ?? LAST_DAY;
  for (const { client, issued, due, ...invoice } of demoInvoices) {
    const clientId = clientIds[client] ?? 0;
    await createInvoice(uow, { ...invoice, clientId, issueDate: dayAfter(issued), dueDate: dayAfter(due) });
  }
  for (const { category, spent, ...expense } of demoExpenses) {
    const categoryId = categoryIds[category] ?? 0;
    await createExpense(uow, { ...expense, categoryId, expenseDate: dayAfter(spent) });
  }
  return uow;
}
