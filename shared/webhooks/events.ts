import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary } from '../engine/records';
import { boolean, line, type StaticOf, timestamp } from '../engine/schemas';

/**
 * The fields of the endpoint in each of its events. The URL is left out: it often contains a secret, and more people may read events than
 * endpoints.
 */
const facts = { types: Type.Array(Type.String()), description: line(255), enabled: boolean };

export type WebhookEndpointFacts = StaticOf<typeof facts>;

/** Returns the fields of the endpoint in each of its events; `types` is JSON. */
export function webhookEndpointFacts(endpoint: {
  types: string;
  description: string;
  enabled: boolean;
}): WebhookEndpointFacts {
  const { types, description, enabled } = endpoint;
  return { types: JSON.parse(types) as string[], description, enabled };
}

/** The events of webhook endpoints. */
export const webhookEndpointEvents = {
  created: eventType('webhook_endpoint.created', Type.Object(facts), { meaning: 'A webhook endpoint was created.' }),
  updated: eventType('webhook_endpoint.updated', Type.Object({ ...facts, ...changedField }), {
    meaning: 'A webhook endpoint was changed by a request.',
    summary: changeSummary,
  }),
  deleted: eventType('webhook_endpoint.deleted', Type.Object(facts), { meaning: 'A webhook endpoint was deleted.' }),
  disabled: eventType('webhook_endpoint.disabled', Type.Object(facts), {
    meaning: 'A webhook endpoint was disabled, because it responded with 410.',
    summary: () => 'Disabled: it responded with 410',
  }),
  paused: eventType(
    'webhook_endpoint.paused',
    Type.Object({
      ...facts,
      failingSince: { ...timestamp, description: 'When the first of the failures was.' },
    }),
    {
      meaning: 'A webhook endpoint was disabled, because every attempt of five days has failed.',
      summary: ({ failingSince = 'days ago' }) => `Disabled: every attempt has failed since ${failingSince}`,
    },
  ),
  secretRotated: eventType('webhook_endpoint.secret_rotated', Type.Object(facts), {
    meaning: 'A webhook endpoint got a new secret. The one before signs too for 24 hours.',
  }),
};
