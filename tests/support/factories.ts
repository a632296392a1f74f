import type { Services } from '../../shared/services';
import type { Scope } from '../../shared/apiKeys/scopes';
import { createApiKey, type ApiKeyInput } from '../../shared/apiKeys/createApiKey';
import { createCategory as makeCategory } from '../../shared/categories/changeCategories';
import type { CategoryRecord } from '../../shared/categories/record';
import { createClient as makeClient } from '../../shared/clients/changeClients';
import type { ClientInput, ClientRecord } from '../../shared/clients/record';
import type { CompanyInput } from '../../shared/companies/record';
import { createCompany as makeCompany } from '../../shared/companies/createCompany';
import { createExpense as makeExpense } from '../../shared/expenses/changeExpenses';
import type { ExpenseInput } from '../../shared/expenses/record';
import type { ExpenseRecord } from '../../shared/expenses/record';
import { createInvoice as makeInvoice } from '../../shared/invoices/createInvoice';
import type { InvoiceInput } from '../../shared/invoices/record';
import type { InvoiceRecord } from '../../shared/invoices/record';

const actor = 'test';
let made = 0;
const unique = (what: string): string => `${what} ${++made}`;

/** A company that can send, and a key of it (all scopes unless others are given). */
export async function createCompany(
  services: Services,
  {
    scopes = ['admin', 'write', 'read'],
    isSandbox = false,
    ...company
  }: CompanyInput & { scopes?: Scope[]; isSandbox?: boolean } = {},
): Promise<{ companyId: number; token: string; keyId: number }> {
  const { id: companyId } = await services.performForInstallation(actor, (work) =>
    makeCompany(work, { name: unique('Company'), email: 'billing@sender.example', ...company }, { isSandbox }),
  );
  const { token, id: keyId } = await createKey(services, companyId, { scopes });
  return { companyId, token, keyId };
}

export function createKey(
  services: Services,
  companyId: number,
  input: ApiKeyInput = {},
): Promise<{ id: number; token: string }> {
  return services.perform({ companyId, actor }, (uow) => createApiKey(uow, input));
}

/** A client with an e-mail address unless `email: null` is given. */
export function createClient(
  services: Services,
  companyId: number,
  input: Partial<ClientInput> = {},
): Promise<ClientRecord> {
  const name = unique('Client');
  const email = `${name.toLowerCase().replace(' ', '-')}@client.example`;
  return services.perform({ companyId, actor }, (uow) => makeClient(uow, { name, email, ...input }));
}

export function createCategory(services: Services, companyId: number, name?: string): Promise<CategoryRecord> {
  return services.perform({ companyId, actor }, (uow) => makeCategory(uow, { name: name ?? unique('Category') }));
}

/** The body of a create request: one item of 2 × 100.00, 10 % tax, so a total of 220.00; the given fields over it. */
export function invoiceInput(clientId: number, changes: Partial<InvoiceInput> = {}): InvoiceInput {
  return {
    clientId,
    issueDate: '2026-01-15',
    dueDate: '2026-02-14',
    taxRate: 10,
    notes: 'Thank you',
    items: [{ description: 'Consulting', quantity: 2, unitPrice: '100.00' }],
    ...changes,
  };
}

/** An invoice made by the use-case, of a new client unless `clientId` is given. */
export async function createInvoice(
  services: Services,
  companyId: number,
  changes: Partial<InvoiceInput> = {},
): Promise<InvoiceRecord> {
  const clientId = changes.clientId ?? (await createClient(services, companyId)).id;
  return services.perform({ companyId, actor }, (uow) => makeInvoice(uow, invoiceInput(clientId, changes)));
}

/** The body of a create request: 42.50 for lunch on 2026-01-15; the given fields over it. */
export function expenseInput(categoryId: number, changes: Partial<ExpenseInput> = {}): ExpenseInput {
  return {
    categoryId,
    vendor: 'Warung Sari',
    description: 'Lunch',
    amount: 42.5,
    expenseDate: '2026-01-15',
    ...changes,
  };
}

/** An expense made by the use-case, of a new category unless `categoryId` is given. */
export async function createExpense(
  services: Services,
  companyId: number,
  changes: Partial<ExpenseInput> = {},
): Promise<ExpenseRecord> {
  const categoryId = changes.categoryId ?? (await createCategory(services, companyId)).id;
  return services.perform({ companyId, actor }, (uow) => makeExpense(uow, expenseInput(categoryId, changes)));
}
