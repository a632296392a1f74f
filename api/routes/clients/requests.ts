import { clientSortFields } from '../../../shared/usecases/clients/listClients';
import { email, line, listQuery, locale, orNull, requestBody, text } from '../../validation/fields';

const fields = {
  name: { ...line(255, 1), pattern: '\\S' },
  email: orNull(email),
  phone: orNull(line(50)),
  address: orNull(text(1000)),
  taxId: orNull(line(100)),
  locale: orNull(locale),
};

/** What responses show and a request cannot set. */
const ignored = ['id', 'companyId', 'softDelete', 'createdAt', 'updatedAt'];

export const createClientBody = requestBody(fields, { required: ['name'], ignored });
export const updateClientBody = requestBody(fields, { ignored });
export const listClientsQuery = listQuery(clientSortFields, 'createdAt');
