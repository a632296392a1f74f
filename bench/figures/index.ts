import type { Figure } from './Figure';
import { autoscale } from './autoscale';
import { memory } from './memory';
import { turns } from './turns';

/** All figures, in the order of measurement: what leaves jobs behind comes last. */
export const figures: readonly Figure[] = [memory, autoscale, turns];
