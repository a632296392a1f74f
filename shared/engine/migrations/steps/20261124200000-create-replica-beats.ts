import { createTable, type Migration } from './Migration';

const table = createTable(
  '20261124200000-create-replica-beats',
  'replica_beats',
  `
    id TINYINT UNSIGNED NOT NULL,
    number BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (id)
  `,
);

/** The one row of a number that API processes raise, to see how far a replica is. */
const createReplicaBeats: Migration = {
  ...table,
  up: async (sql) => {
    await table.up(sql);
    await sql.query('INSERT INTO replica_beats (id, number) VALUES (1, 0)');
  },
};

export default createReplicaBeats;
