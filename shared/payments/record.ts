import { type Balance, balanceOf, coveredSql } from '../balance';
import type { Sql } from '../engine/db';
import { NotFound } from '../engine/errors';
import {
  assigned,
  type CursorPage,
  cursorParameter,
  type CursorRequest,
  decided,
  decimal,
  describeRecord,
  type InputOf,
  LargePage,
  nullable,
  optional,
  type Page,
  type PageSource,
  presenter,
  readAnyPage,
  readBatches,
  type RecordSource,
  required,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import {
  currency,
  cursorListOf,
  dayOrTime,
  decimalText,
  includeDeleted,
  line,
  named,
  oneOf,
  pageQuery,
  recordId,
  responseBody,
  text,
} from '../engine/schemas';
import { parseDecimal } from '../money/money';
import { paymentFlag } from './flags';

const fields = {
  id: assigned(value(recordId)),
  invoiceId: assigned(value(recordId)),
  amount: required(decimal({ above: '0' })),
  /** The invoice's, if a request names none. */
  currency: decided(value(currency)),
  /** The current time, if a request gives none. */
  paidAt: decided({ ...timestamp, request: dayOrTime }),
  method: optional(nullable(value(line(50))), null),
  reference: optional(nullable(value(line(255))), null),
  note: optional(nullable(value(text(1_000))), null),
  source: assigned(value(oneOf('PaymentSource', ['gateway', 'manual']))),
  provider: assigned(nullable(value(line(32)))),
  gatewayPaymentId: assigned(nullable(value(line(191)))),
  flags: assigned({ ...value(paymentFlag, { type: 'array', items: paymentFlag }), form: 'json' as const }),
  refundedAmount: assigned(decimal()),
  disputedAt: assigned(nullable(timestamp)),
  voidedAt: assigned(nullable(timestamp)),
  createdAt: assigned(timestamp),
};

/** A payment as one statement reads it. */
export type PaymentRecord = RowOf<typeof fields>;

/** A checked request to record a payment. */
export type PaymentInput = InputOf<typeof fields>;

const payment = describeRecord('Payment', fields);

/** The schema of a request to record a payment. */
export const newPaymentBody = payment.newBody;

export const presentPayment = presenter(fields, { title: 'Payment' });

/** Fields that are not a column of the same name: a payment without a link was recorded by hand. */
const expressions: Readonly<Record<string, string>> = {
  source: "IF(p.paymentLinkId IS NULL, 'manual', 'gateway')",
  provider: 'l.provider',
  gatewayPaymentId: 'p.gatewayId',
};

const columns = Object.keys(fields)
  .map((name) => `${expressions[name] ?? `p.${name}`} AS \`${name}\``)
  .join(', ');

const withLink = 'LEFT JOIN payment_links l ON l.companyId = p.companyId AND l.id = p.paymentLinkId';

/** The values of a balance, read in each payment's row, so that both are of the same instant. */
interface Paid {
  total: string;
  credited: string;
  invoiceCurrency: string;
  covered: string;
}
const paidColumns = `i.total, i.credited, i.currency AS invoiceCurrency, ${coveredSql} AS covered`;

const source: RecordSource<PaymentRecord & Paid> = {
  name: 'payment',
  table: 'payments',
  alias: 'p',
  columns: `${columns}, ${paidColumns}`,
  joins: `${withLink} JOIN invoices i ON i.companyId = p.companyId AND i.id = p.invoiceId`,
};

const sortings = ['paidAt', 'id', 'createdAt'] as const;

/** The query parameters of the list. */
export const paymentsQuery = pageQuery(sortings, 'paidAt', { ...cursorParameter, ...includeDeleted });

export type PaymentsRequest = CursorRequest<(typeof sortings)[number]> & { includeDeleted: boolean };

/** The schema of the list envelope with the balance. */
export const paymentsPage = cursorListOf(presentPayment.schema, {
  balance: named(
    'Balance',
    responseBody({
      total: decimalText,
      credited: decimalText,
      paid: decimalText,
      due: decimalText,
      excess: decimalText,
      currency,
    }),
  ),
});

type PaymentsPage = (Page<PaymentRecord> | CursorPage<PaymentRecord>) & { balance: Balance };

/**
 * Returns a page of the payments of an invoice, voided ones included, and the balance of all of them.
 * @throws {NotFound} when the invoice is absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function listPayments(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { includeDeleted, ...request }: PaymentsRequest,
): Promise<PaymentsPage> {
  const invoice = await requireInvoice(sql, companyId, invoiceId, includeDeleted);
  const from = paymentsOf(invoiceId);
  const cursors = { list: `payments/${invoiceId}`, cursorBy: sortings };
  const page = await readAnyPage(sql, companyId, from, request, cursors);
  if (page instanceof LargePage) throw new Error('a page of payments fits into one statement');
  const { total, credited, invoiceCurrency, covered } = page.data[0] ?? invoice;
  return { ...page, balance: balanceOf({ total, credited, currency: invoiceCurrency }, parseDecimal(covered)) };
}

/** Reads all payments of an invoice in batches. @throws as {@link listPayments}. */
export async function* paymentBatches(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { includeDeleted, ...request }: PaymentsRequest,
): AsyncGenerator<PaymentRecord[]> {
  await requireInvoice(sql, companyId, invoiceId, includeDeleted);
  yield* readBatches(sql, companyId, paymentsOf(invoiceId), request, sortings);
}

function paymentsOf(invoiceId: number): PageSource<PaymentRecord & Paid> {
  const conditions = [{ text: 'p.invoiceId = ?', values: [invoiceId] }];
  // An invoice has at most 500 payments: sorting them needs no index.
  return { ...source, conditions, index: 'payments_by_invoice' };
}

async function requireInvoice(sql: Sql, companyId: number, id: number, includeDeleted: boolean): Promise<Paid> {
  const [invoice] = await sql.rows<Paid & { softDelete: 0 | 1 }>(
    `SELECT ${paidColumns}, i.softDelete FROM invoices i WHERE i.companyId = ? AND i.id = ?`,
    [companyId, id],
  );
  if (invoice === undefined || (invoice.softDelete === 1 && !includeDeleted)) throw new NotFound('invoice');
  return invoice;
}

/** @throws {NotFound} when absent, another company's, or of another invoice. */
export async function getPayment(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  paymentId: number,
): Promise<PaymentRecord> {
  const [found] = await sql.rows<PaymentRecord>(
    `SELECT ${columns} FROM payments p ${withLink} WHERE p.companyId = ? AND p.id = ? AND p.invoiceId = ?`,
    [companyId, paymentId, invoiceId],
  );
  if (found === undefined) throw new NotFound('payment');
  return found;
}
