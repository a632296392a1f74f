import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary } from '../engine/records';
import { line, type StaticOf } from '../engine/schemas';

/** The fields of the client in each of its events. */
const facts = { name: line(255) };

export type ClientFacts = StaticOf<typeof facts>;

/** The events of clients. */
export const clientEvents = {
  created: eventType('client.created', Type.Object(facts), { meaning: 'A client was created.' }),
  updated: eventType('client.updated', Type.Object({ ...facts, ...changedField }), {
    meaning: 'A client was changed.',
    summary: changeSummary,
  }),
  deleted: eventType('client.deleted', Type.Object(facts), { meaning: 'A client was deleted.' }),
};
