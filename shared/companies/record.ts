import { Type } from '@sinclair/typebox';
import { providerNames } from '../../config/paymentProviders';
import type { Sql } from '../engine/db';
import { NotFound } from '../engine/errors';
import {
  assigned,
  type ChangesOf,
  describeRecord,
  nullable,
  optional,
  presenter,
  type RowOf,
  timestamp,
  value,
  type ValueKind,
} from '../engine/records';
import {
  currency,
  email,
  line,
  locale,
  named,
  oneLine,
  oneOf,
  orNull,
  recordId,
  responseBody,
  text,
  timezone,
} from '../engine/schemas';

/** Of PDF, e-mail and page, darkened where text in it could not be read. */
const color = oneLine(7, 'color', { examples: ['#0f766e'] });
const INVOICE_NUMBERS = 'INV-{YYYY}-{SEQ:5}';
const CREDIT_NOTE_NUMBERS = 'CN-{YYYY}-{SEQ:5}';
const numberFormat = (example: string) => oneLine(50, 'invoice-number-format', { examples: [example] });

/** Days relative to the due date: an array in requests and responses, its JSON in the column. */
const reminderDays: ValueKind<number[], string, number[]> = {
  ...value(
    Type.Array(Type.Integer({ minimum: -60, maximum: 180 }), {
      maxItems: 10,
      uniqueItems: true,
      description: 'On which days relative to the due date clients are reminded, from 09:00: -3 is three days before.',
      examples: [[-3, 0, 7]],
    }),
  ),
  form: 'json',
  toColumn: (days) => JSON.stringify(days),
};

const fields = {
  id: assigned(value(recordId)),
  name: optional(value(line(255)), ''),
  email: optional(nullable(value(email)), null),
  phone: optional(nullable(value(line(50))), null),
  address: optional(nullable(value(text(1000, 20))), null),
  taxId: optional(nullable(value(line(100))), null),
  currency: optional(value(currency), 'IDR'),
  locale: optional(value(locale), 'en'),
  timezone: optional(value(timezone), 'Asia/Jakarta'),
  invoiceNumberFormat: optional(value(numberFormat(INVOICE_NUMBERS)), INVOICE_NUMBERS),
  creditNoteNumberFormat: optional(value(numberFormat(CREDIT_NOTE_NUMBERS)), CREDIT_NOTE_NUMBERS),
  brandColor: optional(nullable(value(color)), null),
  /** Where to transfer money to: printed while something is due. */
  paymentInstructions: optional(nullable(value(text(1000, 10))), null),
  gatewayProvider: optional(nullable(value(oneOf('GatewayProvider', providerNames))), null),
  reminderDays: optional(reminderDays, '[]'),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
};

/** A company; `logoKey` names its logo in the file store. */
export type CompanyRecord = RowOf<typeof fields> & { logoKey: string | null };
/** The fields of requests. An absent one gets its default, or on a change keeps its value. */
export type CompanyInput = ChangesOf<typeof fields>;

export const company = describeRecord('Company', fields, { ignored: ['logoUrl'] });

const presentFields = presenter(fields, { title: 'Company' });

/** The schema of {@link presentCompany}. */
export const companySchema = named(
  'Company',
  responseBody({
    ...(presentFields.schema.properties as object),
    logoUrl: orNull({ type: 'string', format: 'uri' }),
  }),
);

/** `logoUrl` is where the logo can be read (with a key of the company) under `publicUrl`; null where there is none. */
export function presentCompany(record: CompanyRecord, publicUrl: string): object {
  const logoUrl = record.logoKey === null ? null : `${publicUrl}/api/company/logo`;
  return { ...presentFields(record), logoUrl };
}

/** @throws {NotFound} when there is no such company. */
export async function getCompany(sql: Sql, companyId: number): Promise<CompanyRecord> {
  const [found] = await sql.rows<CompanyRecord>(
    `SELECT ${company.columnsOf('o')}, o.logoKey FROM companies o WHERE o.id = ?`,
    [companyId],
  );
  if (found === undefined) throw new NotFound('company');
  return found;
}
