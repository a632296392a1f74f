import type { Migration } from './Migration';

/** Lets the jobs of a queue be counted by status and by when they are due, without those that are done. */
const indexJobsByState: Migration = {
  name: '20261122070000-index-jobs-by-state',
  up: async (sql) => {
    await sql.query(
      'ALTER TABLE jobs ADD KEY jobs_by_state (queue, status, availableAt), ALGORITHM=INPLACE, LOCK=NONE',
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE jobs DROP KEY jobs_by_state');
  },
};

export default indexJobsByState;
