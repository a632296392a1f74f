import type { ClientChanges, ClientInput, ClientRecord } from '../../../shared/usecases/clients/ClientRecord';
import { createClient } from '../../../shared/usecases/clients/createClient';
import { deleteClient } from '../../../shared/usecases/clients/deleteClient';
import { getClient } from '../../../shared/usecases/clients/getClient';
import { listClients, type ClientListRequest } from '../../../shared/usecases/clients/listClients';
import { updateClient } from '../../../shared/usecases/clients/updateClient';
import { entityTag } from '../../../shared/usecases/entityTag';
import { mapPage } from '../../../shared/usecases/page';
import { clientSchema, presentClient } from '../../presenters/client';
import { messageSchema } from '../../presenters/message';
import { created, ok, route, type Route } from '../../routing/Route';
import { getQuery, listOf } from '../../validation/fields';
import { searchRequest, type SearchQuery } from '../../validation/listRequest';
import { createClientBody, listClientsQuery, updateClientBody } from './requests';

const tag = 'Clients';
const withETag = ({ updatedAt }: ClientRecord): Record<string, string> => ({ ETag: entityTag(updatedAt) });

export const clientRoutes: Route[] = [
  route<unknown, SearchQuery<ClientListRequest['sortBy']>>({
    method: 'GET',
    path: '/api/clients',
    scope: 'read',
    tag,
    summary: 'List clients; `search` is a substring of name or e-mail address',
    query: listClientsQuery,
    success: { status: 200, description: 'A page of clients', schema: listOf(clientSchema) },
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await listClients(services.sql, companyId, searchRequest(query)), presentClient)),
  }),
  route<ClientInput>({
    method: 'POST',
    path: '/api/clients',
    scope: 'write',
    tag,
    summary: 'Create a client',
    body: createClientBody,
    success: { status: 201, description: 'The created client', schema: clientSchema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const client = await createClient(uow, call.body);
        return created(presentClient(client), { Location: `/api/clients/${client.id}`, ...withETag(client) });
      }),
  }),
  route<unknown, { includeDeleted: boolean }>({
    method: 'GET',
    path: '/api/clients/{id}',
    scope: 'read',
    tag,
    summary: 'Get a client',
    query: getQuery,
    success: { status: 200, description: 'The client', schema: clientSchema },
    handle: async ({ services, companyId, id, query }) => {
      const client = await getClient(services.sql, companyId, id, query);
      return ok(presentClient(client), withETag(client));
    },
  }),
  route<ClientChanges>({
    method: 'PUT',
    path: '/api/clients/{id}',
    scope: 'write',
    tag,
    summary: 'Update a client: only supplied fields change, and invoices that were sent keep showing what was sent',
    body: updateClientBody,
    success: { status: 200, description: 'The updated client', schema: clientSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const client = await updateClient(uow, call.id, call.body, call.preconditions.ifMatch);
        return ok(presentClient(client), withETag(client));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/clients/{id}',
    scope: 'write',
    tag,
    summary: 'Soft-delete a client: its invoices keep showing it, new ones cannot refer to it',
    success: { status: 200, description: 'Deleted', schema: messageSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await deleteClient(uow, call.id, call.preconditions.ifMatch);
        return ok({ message: 'Client deleted successfully' });
      }),
  }),
];
