import { flag, whole } from './kinds';
import { readBy } from './variable';

/** Variables of webhooks. */
export const webhooks = {
  allowPrivate: readBy('api', 'worker')(
    'WEBHOOK_ALLOW_PRIVATE',
    flag,
    'false',
    '`true` lets webhook endpoints have [private addresses](install.md#webhooks). Then whoever has an API key of scope `admin` can send requests to your internal servers.',
  ),
  timeoutMs: readBy('worker')(
    'WEBHOOK_TIMEOUT_MS',
    whole(100, 120_000, 'milliseconds', 15_000),
    '15000',
    'How long an endpoint may take to respond to an event.',
  ),
  retentionDays: readBy('worker')(
    'WEBHOOK_RETENTION_DAYS',
    whole(1, 36_500, 'days', 30),
    '30',
    'Delivered and failed webhook deliveries are removed after this.',
  ),
};
