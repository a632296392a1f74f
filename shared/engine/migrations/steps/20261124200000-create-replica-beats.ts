import { createTable } from './Migration';

/** The one row of a number that API processes raise, to see how far a replica is. */
export default createTable(
  'replica_beats',
  `
    id TINYINT UNSIGNED NOT NULL,
    number BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (id)
  `,
  'INSERT INTO replica_beats (id, number) VALUES (1, 0)',
);
