import { client, type ClientInput, createClients } from '../clients';
import { commonDetails, knownExternalIds } from '../details';
import { bodyValidator, normaliseBody, requestBody } from '../engine/schemas';
import { columnsOf, type ImportKind } from './ImportKind';

const columns = { ...columnsOf(client.newBody), externalId: commonDetails.externalId.request };
const body = requestBody(columns, { required: ['name'] });
const check = bodyValidator(body);

type Row = ClientInput & { externalId?: string };

/** A file of clients. */
export const clients: ImportKind<Row> = {
  columns,
  needed: [['name']],
  toInput(fields) {
    check(fields);
    return normaliseBody(body, fields) as Row;
  },
  known: (sql, companyId, externalIds) => knownExternalIds(sql, companyId, 'clients', externalIds),
  create: createClients,
};
