import { DateTime } from 'luxon';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { createCategory } from '../../shared/usecases/categories/createCategory';
import { createClient } from '../../shared/usecases/clients/createClient';
import { createCompany } from '../../shared/usecases/companies/createCompany';
import { createExpense } from '../../shared/usecases/expenses/createExpense';
import { createInvoice } from '../../shared/usecases/invoices/createInvoice';
import { demoCategories, demoClients, demoCompany, demoExpenses, demoInvoices } from './demoRecords';

/** Makes the demo company with its clients, categories and (unless `empty`) invoices and expenses; answers its id. */
export async function createDemoCompany(none: UnitOfWork, { empty }: { empty: boolean }): Promise<number> {
  const company = await createCompany(none, demoCompany);
  const uow = { ...none, companyId: company.id };
  const clientIds: number[] = [];
  for (const client of demoClients) clientIds.push((await createClient(uow, client)).id);
  const categoryIds: number[] = [];
  for (const name of demoCategories) categoryIds.push((await createCategory(uow, { name })).id);
  if (empty) return company.id;

  const today = DateTime.fromJSDate(uow.now, { zone: company.timezone });
  const dayAfter = (days: number): string => today.plus({ days }).toISODate() ?? '';
  for (const { client, issued, due, ...invoice } of demoInvoices) {
    const clientId = clientIds[client] ?? 0;
    await createInvoice(uow, { ...invoice, clientId, issueDate: dayAfter(issued), dueDate: dayAfter(due) });
  }
  for (const { category, spent, ...expense } of demoExpenses) {
    const categoryId = categoryIds[category] ?? 0;
    await createExpense(uow, { ...expense, categoryId, expenseDate: dayAfter(spent) });
  }
  return company.id;
}
