import type { Figure } from './Figure';
import { exportCost } from './exportCost';
import { feedDelay } from './feedDelay';
import { memory } from './memory';
import { paymentDelay } from './paymentDelay';
import { reminders } from './reminders';
import { scaleOut } from './scaleOut';

/** All figures, in the order of measurement. Those that leave jobs come last. */
export const figures: readonly Figure[] = [memory, exportCost, feedDelay, paymentDelay, scaleOut, reminders];
