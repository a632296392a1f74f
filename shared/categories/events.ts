import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary } from '../engine/records';
import { line, type StaticOf } from '../engine/schemas';

/** The fields of the category in each of its events. */
const facts = { name: line(255) };

export type CategoryFacts = StaticOf<typeof facts>;

/** The events of categories. */
export const categoryEvents = {
  created: eventType('category.created', Type.Object(facts), { meaning: 'A category was created.' }),
  updated: eventType('category.updated', Type.Object({ ...facts, ...changedField }), {
    meaning: 'A category was changed.',
    summary: changeSummary,
  }),
  deleted: eventType('category.deleted', Type.Object(facts), { meaning: 'A category was deleted.' }),
};
