import { DateTime } from 'luxon';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { createCategory } from '../../shared/usecases/categories/createCategory';
import { createClient } from '../../shared/usecases/clients/createClient';
import { createCompany } from '../../shared/usecases/companies/createCompany';
import { createInvoice } from '../../shared/usecases/invoices/createInvoice';
import { demoClients, demoCompany, demoCategories, demoInvoices } from './demoRecords';

/** Makes the demo company with its clients, categories and (unless `empty`) invoices; answers its id. */
export async function createDemoCompany(none: UnitOfWork, { empty }: { empty: boolean }): Promise<number> {
  const company = await createCompany(none, demoCompany);
  const uow = { ...none, companyId: company.id };
  const clientIds: number[] = [];
  for (const client of demoClients) clientIds.push((await createClient(uow, client)).id);
  for (const name of demoCategories) await createCategory(uow, { name });
  if (empty) return company.id;

  const today = DateTime.fromJSDate(uow.now, { zone: company.timezone });
  const dayAfter = (days: number): string => today.plus({ days }).toISODate() ?? '';
  for (const { client, issued, due, ...invoice } of demoInvoices) {
    const clientId = clientIds[client] ?? 0;
    await createInvoice(uow, { ...invoice, clientId, issueDate: dayAfter(issued), dueDate: dayAfter(due) });
  }
  return company.id;
}
