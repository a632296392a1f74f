import type { Figure } from './Figure';
import { exportCost } from './exportCost';
import { feedDelay } from './feedDelay';
import { memory } from './memory';

/** All figures, in the order of measurement. */
export const figures: readonly Figure[] = [memory, exportCost, feedDelay];
