import type { Sql } from '../engine/db';
import {
  assigned,
  decided,
  describeList,
  describeRecord,
  extended,
  type InputOf,
  nullable,
  presenter,
  readRecord,
  type RecordSource,
  type RowOf,
  timestamp,
  value,
  type ValueKind,
} from '../engine/records';
import { line, recordId, timestamp as timestampSchema } from '../engine/schemas';
import { scopeList, type Scope } from './scopes';

/** Scopes are a list in requests and responses, and separated by commas in their column. */
const scopesKind: ValueKind<Scope[], string, Scope[]> = {
  request: scopeList,
  response: scopeList,
  form: 'list',
  toColumn: (given) => given.join(','),
};

const expiry = {
  ...value({
    ...timestampSchema,
    examples: ['2027-01-31T17:00:00Z'],
  }),
  form: 'timestamp',
} as const;

const fields = {
  id: assigned(value(recordId)),
  name: decided(value(line(255))),
  /** The beginning of the token. */
  hint: assigned(value(line(16))),
  scopes: decided(scopesKind),
  expiresAt: decided(nullable(expiry)),
  lastUsedAt: assigned(nullable(timestamp)),
  revokedAt: assigned(nullable(timestamp)),
  createdAt: assigned(timestamp),
};

/** An API key without its token, of which only a hash is kept. */
export type ApiKeyRecord = RowOf<typeof fields>;
/** A checked request. */
export type ApiKeyBody = InputOf<typeof fields>;

export const apiKey = describeRecord('ApiKey', fields, { ignored: ['token'] });

export const presentApiKey = presenter(fields, { title: 'ApiKey' });
/** The response to its creation, which alone shows the token. */
export const presentNewApiKey = extended(
  presentApiKey,
  'ApiKeyWithToken',
  { token: { type: 'string' } },
  ({ token }: ApiKeyRecord & { token: string }) => ({ token }),
);

const source: RecordSource<ApiKeyRecord> = {
  name: 'API key',
  table: 'api_keys',
  alias: 'k',
  columns: apiKey.columnsOf('k').replace('k.hint', 'k.tokenHint AS hint'),
};

/** A company's keys, revoked and expired ones included. */
export const apiKeyList = describeList<typeof fields, ApiKeyRecord>(source, {
  sortBy: ['id', 'name', 'createdAt', 'lastUsedAt'],
  defaultSort: 'createdAt',
  search: ['name'],
});

/** @throws {NotFound} when absent or another company's. */
export function getApiKey(sql: Sql, companyId: number, keyId: number): Promise<ApiKeyRecord> {
  return readRecord(sql, companyId, source, keyId);
}

/** A checked request as the use-case takes it. */
export function toApiKeyInput({ expiresAt = null, ...body }: ApiKeyBody): {
  name?: string;
  scopes?: Scope[];
  expiresAt: Date | null;
} {
  return { ...body, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
