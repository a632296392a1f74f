import {
  apiKey,
  type ApiKeyBody,
  apiKeyList,
  createApiKey,
  presentApiKey,
  presentNewApiKey,
  revokeApiKey,
  toApiKeyInput,
} from '../../shared/apiKeys';
import { type ListQuery, mapPage } from '../../shared/engine/records';
import { messageSchema } from '../http/message';
import { created, ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { listOf } from '../../shared/engine/schemas';

const tag = 'API keys';

export const apiKeyRoutes: Route[] = [
  route<unknown, ListQuery>({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api/api-keys',
    scope: 'admin',
    tag,
    summary: 'List API keys, revoked and expired ones included, without their tokens',
    query: apiKeyList.query,
    success: { status: 200, description: 'A page of API keys', schema: listOf(presentApiKey.schema) },
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await apiKeyList.read(services.sql, companyId, query), presentApiKey)),
  }),
  route<ApiKeyBody>({
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api/api-keys',
    scope: 'admin',
    tag,
    summary:
      'Create an API key: its token is shown in this response and never again (but to a repeat of this very request)',
    body: apiKey.newBody,
    secretResponse: true,
    example: { body: { name: 'Shop', scopes: ['read', 'write'] } },
    success: { status: 201, description: 'The key with its token', schema: presentNewApiKey.schema },
    failures: { 409: '`limit_reached`: the company has as many API keys as it can have.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) =>
        created(
          presentNewApiKey(await createApiKey(uow, toApiKeyInput(call.body), call.services.config.stored.apiKeys)),
        ),
      ),
  }),
  route({
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/api/api-keys/{id}',
    scope: 'admin',
    tag,
    summary: 'Revoke an API key, within 5 seconds everywhere; the one that asks may be it',
    example: { path: { id: 2 } },
    success: { status: 200, description: 'Revoked', schema: messageSchema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await revokeApiKey(uow, call.id);
        return ok({ message: 'API key revoked successfully' });
      }),
  }),
];
