import { inStatements } from './Migration';

/** Lets the jobs of a queue be counted by status and by when they are due, without those that are done. */
export default inStatements({
  up: ['ALTER TABLE jobs ADD KEY jobs_by_state (queue, status, availableAt), ALGORITHM=INPLACE, LOCK=NONE'],
  down: ['ALTER TABLE jobs DROP KEY jobs_by_state'],
});
