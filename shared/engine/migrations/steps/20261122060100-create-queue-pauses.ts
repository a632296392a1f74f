import { createTable } from './Migration';

/** One row for each queue that an operator has paused. */
export default createTable(
  'queue_pauses',
  `
    queue VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    pausedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (queue)
  `,
);
