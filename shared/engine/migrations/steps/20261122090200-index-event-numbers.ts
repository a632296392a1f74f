import type { Migration } from './Migration';

/** The feed of a company in its order, and the events that have no number yet in theirs. */
const indexEventNumbers: Migration = {
  name: '20261122090200-index-event-numbers',
  up: async (sql) => {
    await sql.query(
      `ALTER TABLE events
        ADD UNIQUE KEY events_feed (companyId, seq),
        ADD KEY events_unnumbered (seq, id),
        ALGORITHM=INPLACE, LOCK=NONE`,
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE events DROP KEY events_feed, DROP KEY events_unnumbered');
  },
};

export default indexEventNumbers;
