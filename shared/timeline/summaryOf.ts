import { eventTypes } from '../eventTypes';
import { inWords } from '../engine/events';

const summaries = new Map(eventTypes.map((type) => [type.type, type]));

/** Returns one English sentence about an event, also of a type that this version does not know. */
export function summaryOf(type: string, data: object): string {
  return summaries.get(type)?.summary(data) ?? inWords(type);
}
