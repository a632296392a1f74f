import type { SchemaObject } from 'ajv';
import { type EventType, inPascalCase } from './engine/events';
import { named, orNull, recordId, responseBody, timestamp } from './engine/schemas';

/** Returns the schema of an event of one type, as the feed and webhooks show it. */
function eventSchema({ type, subject, data }: EventType): SchemaObject {
  return named(
    `${inPascalCase(type)}Event`,
    responseBody({
      id: { ...recordId, description: 'The place in the feed.' },
      type: { type: 'string', const: type },
      createdAt: timestamp,
      actor: { type: 'string', examples: ['api-key:12', 'job:sendInvoiceEmail'] },
      requestId: orNull({ type: 'string' }),
      subject: responseBody({ type: { type: 'string', const: subject }, id: recordId }),
      data,
    }),
  );
}

/** Returns the schema of the body in which an event of one type is sent to webhook endpoints. */
export function webhookSchema(eventType: EventType): SchemaObject {
  const { type } = eventType;
  const timestampOfEvent = { ...timestamp, description: 'When it happened.' };
  return named(
    `${inPascalCase(type)}Webhook`,
    responseBody({ type: { type: 'string', const: type }, timestamp: timestampOfEvent, data: eventSchema(eventType) }),
  );
}
