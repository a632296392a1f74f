import { toIsoTime } from '../../shared/database/sql';
import type { CompanyRecord } from '../../shared/usecases/companies/CompanyRecord';
import {
  currency,
  email,
  line,
  locale,
  moment,
  orNull,
  recordId,
  responseBody,
  text,
  timezone,
} from '../validation/fields';

/** `logoUrl` is where the logo can be read (with a key of the company) under `publicUrl`; null where there is none. */
export function presentCompany(company: CompanyRecord, publicUrl: string): object {
  return {
    id: company.id,
    name: company.name,
    email: company.email,
    phone: company.phone,
    address: company.address,
    taxId: company.taxId,
    currency: company.currency,
    locale: company.locale,
    timezone: company.timezone,
    invoiceNumberFormat: company.invoiceNumberFormat,
    logoUrl: company.logoKey === null ? null : `${publicUrl}/api/company/logo`,
    createdAt: toIsoTime(company.createdAt),
    updatedAt: toIsoTime(company.updatedAt),
  };
}

export const companySchema = responseBody({
  id: recordId,
  name: line(255),
  email: orNull(email),
  phone: orNull(line(50)),
  address: orNull(text(1000)),
  taxId: orNull(line(100)),
  currency,
  locale,
  timezone,
  invoiceNumberFormat: { type: 'string', example: 'INV-{YYYY}-{SEQ:5}' },
  logoUrl: orNull({ type: 'string', format: 'uri' }),
  createdAt: moment,
  updatedAt: moment,
});
