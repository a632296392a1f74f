import { Type } from '@sinclair/typebox';
import { eventType } from '../events';
import { line } from '../schemas';

/** Events of operators' changes of jobs. */
export const jobEvents = {
  retried: eventType('job.retried', Type.Object({ name: line(64) }), {
    meaning: 'A failed job got a new set of attempts; `name` is its kind.',
  }),
};
