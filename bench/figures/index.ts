import type { Figure } from './Figure';
import { autoscale } from './autoscale';
import { backlog } from './backlog';
import { createWithWebhooks } from './createWithWebhooks';
import { deliveryDelay } from './deliveryDelay';
import { feedDelay } from './feedDelay';
import { hangingEndpoint } from './hangingEndpoint';
import { memory } from './memory';
import { pause } from './pause';
import { paymentDelay } from './paymentDelay';
import { reminders } from './reminders';
import { turns } from './turns';

/** All figures, in the order of measurement: what leaves jobs behind comes last. */
export const figures: readonly Figure[] = [
  memory,
  feedDelay,
  deliveryDelay,
  paymentDelay,
  createWithWebhooks,
  hangingEndpoint,
  autoscale,
  pause,
  turns,
  reminders,
  backlog,
];
