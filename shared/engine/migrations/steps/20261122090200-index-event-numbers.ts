import { inStatements } from './Migration';

/** The feed of a company in its order, and the events that have no number yet in theirs. */
export default inStatements({
  up: [
    `ALTER TABLE events
        ADD UNIQUE KEY events_feed (companyId, seq),
        ADD KEY events_unnumbered (seq, id),
        ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: ['ALTER TABLE events DROP KEY events_feed, DROP KEY events_unnumbered'],
});
