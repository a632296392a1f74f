import type { Attack } from '../Attack';
import { compressedLists, occurrences, payments, repeatedKeys, replays } from './costlyRequests';
import { creates } from './creates';
import { deepNesting } from './deepNesting';
import { deepPages } from './deepPages';
import { emailFlood } from './emailFlood';
import { emptyItems } from './emptyItems';
import { fastEndpoints } from './fastEndpoints';
import { feedReads } from './feedReads';
import { fillBytes } from './fillBytes';
import { dashes, imageBomb, manySelectors, masks, nestedRules } from './hostileLogos';
import { fixedPages, healthFlood, unknownPages } from './fixedPages';
import { forgedCallbacks } from './forgedCallbacks';
import { fileTails } from './fileTails';
import { filters } from './filters';
import { interimResponses, tinyResponseChunks } from './hostileReceivers';
import { hostileText } from './hostileText';
import { idleConnections } from './idleConnections';
import { invoicePages } from './invoicePages';
import { largeInvoices } from './largeInvoices';
import { longLists } from './longLists';
import { longLocale } from './longLocale';
import { manyEmails } from './manyEmails';
import { manySeries } from './manySeries';
import { multipartHeaders } from './multipartHeaders';
import { neverRead } from './neverRead';
import { longPdfs, pdfFlood } from './pdfFlood';
import { pipelinedBehindLongPoll, pipelinedWrongKeys } from './pipelined';
import { endlessUploads, refusedRequests, refusedUploads } from './refused';
import { exportFlood, reportFlood } from './reports';
import { sandboxRuns } from './sandboxRuns';
import { searches } from './searches';
import { slowBodies } from './slowBodies';
import { slowEndpoints } from './slowEndpoints';
import { tinyChunks, tinyChunksWithoutKey } from './tinyChunks';
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
  manySeries,
  multipartHeaders,
  pipelinedBehindLongPoll,
  pipelinedWrongKeys,
  tinyChunks,
  tinyChunksWithoutKey,
  forgedCallbacks,
  fastEndpoints,
  slowEndpoints,
  interimResponses,
  tinyResponseChunks,
  emailFlood,
  feedReads,
  filters,
  largeInvoices,
  refusedUploads,
  endlessUploads,
  refusedRequests,
  fileTails,
  compressedLists,
  replays,
  repeatedKeys,
  occurrences,
  payments,
  reportFlood,
  exportFlood,
  sandboxRuns,
  invoicePages,
  fixedPages,
  unknownPages,
  healthFlood,
];
