import { addKeys } from './Migration';

/** Lets the jobs of a queue be counted by status and by when they are due, without those that are done. */
export default addKeys('jobs', { jobs_by_state: 'queue, status, availableAt' });
