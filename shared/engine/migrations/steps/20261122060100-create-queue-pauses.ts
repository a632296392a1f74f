import { createTable } from './Migration';

/** One row for each queue that an operator has paused. */
export default createTable(
  '20261122060100-create-queue-pauses',
  'queue_pauses',
  `
    queue VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    pausedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (queue)
  `,
);
