import { webhookSchema } from '../../../shared/eventSchemas';
import { eventTypes } from '../../../shared/eventTypes';
import { json } from './operation';
import type { Schemas } from './Schemas';

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'The same in every attempt, and when the event is sent again: deduplicate by it.'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
  header('webhook-signature', '`v1,` and the signature of this attempt; several are separated by spaces.'),
];

const responses = {
  '2XX': { description: 'Received: it is not sent again.' },
  410: { description: 'The endpoint is disabled.' },
  '4XX': { description: 'Not received: it is sent again later.' },
  '5XX': { description: 'Not received: it is sent again later.' },
};

/** Returns what is sent to webhook endpoints, by the type of the event. */
export function webhooksOf(schemas: Schemas): Record<string, object> {
  return Object.fromEntries(
    eventTypes.map((eventType) => [
      eventType.type,
      {
        post: {
          operationId: eventType.type,
          summary: eventType.meaning,
          description: 'Sent to the webhook endpoints whose types include it. Signed as Standard Webhooks defines it.',
          tags: ['Webhooks'],
          security: [],
          parameters,
          requestBody: { required: true, content: json(schemas.show(webhookSchema(eventType), 'response')) },
          responses,
        },
      },
    ]),
  );
}
