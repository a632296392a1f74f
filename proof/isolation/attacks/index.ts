import type { Attack } from '../Attack';
import { bodies } from './bodies';
import { changes } from './changes';
import { connections } from './connections';
import { endpoints } from './endpoints';
import { pdfs } from './pdfs';
import { reads } from './reads';
import { combined } from './together';

/** All attacks, in the order in which they run. */
export const attacks: readonly Attack[] = [
  ...[...bodies, ...connections, ...pdfs, ...reads, ...changes, ...endpoints],
  ...combined,
];
