import type { Attack } from '../Attack';
import { creates } from './creates';
import { deepNesting } from './deepNesting';
import { deepPages } from './deepPages';
import { emptyItems } from './emptyItems';
import { fillBytes } from './fillBytes';
import { dashes, imageBomb, manySelectors, masks, nestedRules } from './hostileLogos';
import { hostileText } from './hostileText';
import { idleConnections } from './idleConnections';
import { longLists } from './longLists';
import { longLocale } from './longLocale';
import { manyEmails } from './manyEmails';
import { neverRead } from './neverRead';
import { longPdfs, pdfFlood } from './pdfFlood';
import { searches } from './searches';
import { slowBodies } from './slowBodies';
import { unknownFields } from './unknownFields';
import { wrongKeys } from './wrongKeys';

/** All attacks, in the order in which they run. */
export const attacks: readonly Attack[] = [
  emptyItems,
  unknownFields,
  deepNesting,
  longLocale,
  hostileText,
  longLists,
  neverRead,
  slowBodies,
  idleConnections,
  nestedRules,
  dashes,
  masks,
  manySelectors,
  imageBomb,
  longPdfs,
  pdfFlood,
  fillBytes,
  searches,
  deepPages,
  creates,
  wrongKeys,
  manyEmails,
];
