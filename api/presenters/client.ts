import { toIsoTime } from '../../shared/database/sql';
import type { ClientRecord } from '../../shared/usecases/clients/ClientRecord';
import { boolean, email, line, locale, moment, orNull, recordId, responseBody, text } from '../validation/fields';

export function presentClient(client: ClientRecord): object {
  return {
    id: client.id,
    companyId: client.companyId,
    name: client.name,
    email: client.email,
    phone: client.phone,
    address: client.address,
    taxId: client.taxId,
    locale: client.locale,
    softDelete: client.softDelete === 1,
    createdAt: toIsoTime(client.createdAt),
    updatedAt: toIsoTime(client.updatedAt),
  };
}

export const clientSchema = responseBody({
  id: recordId,
  companyId: recordId,
  name: line(255, 1),
  email: orNull(email),
  phone: orNull(line(50)),
  address: orNull(text(1000)),
  taxId: orNull(line(100)),
  locale: orNull(locale),
  softDelete: boolean,
  createdAt: moment,
  updatedAt: moment,
});
