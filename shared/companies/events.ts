import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary } from '../engine/records';
import { line } from '../engine/schemas';

/** The events of companies. */
export const companyEvents = {
  created: eventType('company.created', Type.Object({ name: line(255) }), { meaning: 'The company was created.' }),
  updated: eventType('company.updated', Type.Object({ name: line(255), ...changedField }), {
    meaning: 'The details, the settings or the logo of the company were changed.',
    summary: changeSummary,
  }),
};
