import { createTable, type Migration } from './Migration';

const table = createTable(
  '20261122090300-create-event-sequence',
  'event_sequence',
  `
    id TINYINT UNSIGNED NOT NULL,
    last BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (id)
  `,
);

/** The one row of the newest number that an event has. Whoever gives numbers locks it. */
const createEventSequence: Migration = {
  ...table,
  up: async (sql) => {
    await table.up(sql);
    await sql.query('INSERT INTO event_sequence (id, last) VALUES (1, 0)');
  },
};

export default createEventSequence;
