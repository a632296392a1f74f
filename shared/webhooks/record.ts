import type { TUnsafe } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { MAX_TYPE_PATTERNS, typePattern } from '../engine/events';
import {
  assigned,
  type ChangesOf,
  describeList,
  describeRecord,
  entityTag,
  extended,
  flag,
  type InputOf,
  nullable,
  optional,
  presenter,
  type RecordKind,
  required,
  type RowOf,
  timestamp,
  value,
  type ValueKind,
} from '../engine/records';
import { line, oneLine, oneOf, recordId } from '../engine/schemas';
import { webhookEndpointEvents, webhookEndpointFacts, type WebhookEndpointFacts } from './events';
import { disabledReasons, WebhookEndpoint } from './WebhookEndpoint';

const typeList: TUnsafe<string[]> = Type.Unsafe({
  type: 'array',
  minItems: 1,
  maxItems: MAX_TYPE_PATTERNS,
  uniqueItems: true,
  items: typePattern,
});

/** Types and patterns are a list in requests and responses, and its JSON in their column. */
const typesKind: ValueKind<string[], string, string[]> = {
  request: typeList,
  response: typeList,
  form: 'json',
  toColumn: (given) => JSON.stringify(given),
};

const fields = {
  id: assigned(value(recordId)),
  url: required(value(oneLine(2048, 'endpoint-url', { examples: ['https://shop.example.com/invoicing-events'] }))),
  types: optional(typesKind, '["*"]'),
  description: optional(value(line(255)), ''),
  enabled: optional(flag, 1),
  disabledReason: assigned(nullable(value(oneOf('WebhookDisabledReason', disabledReasons)))),
  /** Since when every attempt has failed. */
  failingSince: assigned(nullable(timestamp)),
  previousSecretUntil: assigned(nullable(timestamp)),
  softDelete: assigned(flag),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
};

/** An endpoint without its secrets. */
export type WebhookEndpointRecord = RowOf<typeof fields>;
export type WebhookEndpointInput = InputOf<typeof fields>;
export type WebhookEndpointChanges = ChangesOf<typeof fields>;
/** The response that alone shows the secret. */
export type WebhookEndpointWithSecret = WebhookEndpointRecord & { secret: string };

export const webhookEndpoint = describeRecord('WebhookEndpoint', fields, { ignored: ['secret'] });

export const presentWebhookEndpoint = presenter(fields, { title: 'WebhookEndpoint' });
export const presentEndpointWithSecret = extended(
  presentWebhookEndpoint,
  'WebhookEndpointWithSecret',
  { secret: { type: 'string', description: 'Verifies what is sent to the endpoint (Standard Webhooks).' } },
  ({ secret }: WebhookEndpointWithSecret) => ({ secret }),
);

export const webhookEndpointKind: RecordKind<WebhookEndpoint, WebhookEndpointRecord, WebhookEndpointFacts> = {
  name: 'webhook endpoint',
  table: 'webhook_endpoints',
  alias: 'w',
  columns: webhookEndpoint.columnsOf('w'),
  isDeletable: true,
  model: WebhookEndpoint,
  // Workers change `failingSince`, which is no change of the endpoint.
  tagOf: ({ updatedAt, failingSince }) => entityTag(updatedAt, failingSince ?? updatedAt),
  changeable: webhookEndpoint.changeable.filter((name) => name !== 'url'),
  eventValue: (name, column) => (name === 'types' ? (JSON.parse(String(column)) as unknown) : column),
  events: webhookEndpointEvents,
  facts: webhookEndpointFacts,
};

/** A company's endpoints. */
export const webhookEndpointList = describeList<typeof fields, WebhookEndpointRecord>(webhookEndpointKind, {
  sortBy: ['id', 'url', 'createdAt', 'updatedAt'],
  defaultSort: 'createdAt',
  search: ['url', 'description'],
});
