import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { line } from '../engine/schemas';

/** What happens to receipts. */
export const receiptEvents = {
  created: eventType(
    'receipt.created',
    Type.Object({ contentType: line(100), size: Type.Integer({ minimum: 0, description: 'Bytes.' }) }),
    { meaning: 'A receipt was uploaded.' },
  ),
};
