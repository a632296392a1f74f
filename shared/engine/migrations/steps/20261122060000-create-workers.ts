import { createTable } from './Migration';

/** One row for each running worker process, which it renews every few seconds. */
export default createTable(
  'workers',
  `
    id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    host VARCHAR(255) NOT NULL,
    pid INT UNSIGNED NOT NULL,
    version VARCHAR(100) NOT NULL,
    queues VARCHAR(255) NOT NULL,
    running INT UNSIGNED NOT NULL,
    startedAt DATETIME(3) NOT NULL,
    heartbeatAt DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  `,
);
