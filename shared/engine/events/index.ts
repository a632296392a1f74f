/** Events: recorded with each change and numbered into the company's feed, for which requests can wait. */
export { EventSignals } from './EventSignals';
export { isOneOfTypes, MAX_TYPE_PATTERNS, typePattern } from './eventTypes';
export {
  type FeedEvent,
  feedEventJson,
  type FeedPage,
  type FeedQuery,
  newestEvent,
  readEventsById,
  readFeed,
} from './feed';
export { FeedWaits } from './FeedWaits';
export { type Numbered, numberEvents } from './numberEvents';
export { eventType, type EventType, inPascalCase, inWords, recordEvent, type SchemaOf } from './recordEvent';
export { removeOldEvents, requireKept } from './removeOldEvents';
export { isGiven, type MovedSequence, moveSequence, NUMBERS_PER_MS } from './sequence';
