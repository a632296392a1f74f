import { createApiKey } from '../../../shared/usecases/apiKeys/createApiKey';
import { listApiKeys, type ApiKeyListRequest } from '../../../shared/usecases/apiKeys/listApiKeys';
import { revokeApiKey } from '../../../shared/usecases/apiKeys/revokeApiKey';
import { mapPage } from '../../../shared/usecases/page';
import { apiKeySchema, newApiKeySchema, presentApiKey, presentNewApiKey } from '../../presenters/apiKey';
import { messageSchema } from '../../presenters/message';
import { created, ok, route, type Route } from '../../routing/Route';
import { listOf } from '../../validation/fields';
import { searchRequest, type SearchQuery } from '../../validation/listRequest';
import { createApiKeyBody, listApiKeysQuery, toApiKeyInput, type ApiKeyBody } from './requests';

const tag = 'API keys';

export const apiKeyRoutes: Route[] = [
  route<unknown, SearchQuery<ApiKeyListRequest['sortBy']>>({
    method: 'GET',
    path: '/api/api-keys',
    scope: 'admin',
    tag,
    summary: 'List API keys, revoked and expired ones included, without their tokens',
    query: listApiKeysQuery,
    success: { status: 200, description: 'A page of API keys', schema: listOf(apiKeySchema) },
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await listApiKeys(services.sql, companyId, searchRequest(query)), presentApiKey)),
  }),
  route<ApiKeyBody>({
    method: 'POST',
    path: '/api/api-keys',
    scope: 'admin',
    tag,
    summary:
      'Create an API key: its token is shown in this answer and never again (but to a repeat of this very request)',
    body: createApiKeyBody,
    secretAnswer: true,
    success: { status: 201, description: 'The key with its token', schema: newApiKeySchema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => created(presentNewApiKey(await createApiKey(uow, toApiKeyInput(call.body))))),
  }),
  route({
    method: 'DELETE',
    path: '/api/api-keys/{id}',
    scope: 'admin',
    tag,
    summary: 'Revoke an API key, within 5 seconds everywhere; the one that asks may be it',
    success: { status: 200, description: 'Revoked', schema: messageSchema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await revokeApiKey(uow, call.id);
        return ok({ message: 'API key revoked successfully' });
      }),
  }),
];
