import { createTable } from './Migration';

/** The one row of the newest number that an event has. Whoever gives numbers locks it. */
export default createTable(
  'event_sequence',
  `
    id TINYINT UNSIGNED NOT NULL,
    last BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (id)
  `,
  'INSERT INTO event_sequence (id, last) VALUES (1, 0)',
);
