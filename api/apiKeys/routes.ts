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
import { mapPage } from '../../shared/kernel/records/page';
import { messageSchema } from '../http/message';
import { created, ok } from '../http/routing/Answer';
import { route, type Route } from '../http/routing/Route';
import { listOf } from '../../shared/kernel/schemas/fields';
import type { ListQuery } from '../../shared/kernel/records/list';

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
      'Create an API key: its token is shown in this answer and never again (but to a repeat of this very request)',
    body: apiKey.newBody,
    secretAnswer: true,
    success: { status: 201, description: 'The key with its token', schema: presentNewApiKey.schema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => created(presentNewApiKey(await createApiKey(uow, toApiKeyInput(call.body))))),
  }),
  route({
    operationId: 'revokeApiKey',
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
