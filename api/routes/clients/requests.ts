import { clientSortFields } from '../../../shared/usecases/clients/listClients';
import { email, line, listQuery, locale, nameLine, orNull, requestBody, text } from '../../validation/fields';

const fields = {
  name: nameLine(255),
  email: orNull(email),
  phone: orNull(line(50)),
  address: orNull(text(1000, 20)),
  taxId: orNull(line(100)),
  locale: orNull(locale),
};

/** What responses show and a request cannot set. */
const ignored = ['id', 'companyId', 'softDelete', 'createdAt', 'updatedAt'];

export const createClientBody = requestBody(fields, { required: ['name'], ignored });
export const updateClientBody = requestBody(fields, { ignored });
export const listClientsQuery = listQuery(clientSortFields, 'createdAt');
