/** API keys: created, found by their token, listed and revoked. */
export { createApiKey } from './createApiKey';
export { apiKey, type ApiKeyBody, apiKeyList, presentApiKey, presentNewApiKey, toApiKeyInput } from './record';
export { revokeApiKey } from './revokeApiKey';
export { includesScope, type Scope, scopes } from './scopes';
export { hashToken } from './token';
