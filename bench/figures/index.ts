import type { Figure } from './Figure';
import { deliveryDelay } from './deliveryDelay';
import { exportCost } from './exportCost';
import { feedDelay } from './feedDelay';
import { hangingEndpoint } from './hangingEndpoint';
import { memory } from './memory';
import { paymentDelay } from './paymentDelay';
import { reminders } from './reminders';
import { turns } from './turns';

/** All figures, in the order of measurement: what leaves jobs behind comes last. */
export const figures: readonly Figure[] = [
  memory,
  exportCost,
  feedDelay,
  deliveryDelay,
  paymentDelay,
  hangingEndpoint,
  turns,
  reminders,
];
