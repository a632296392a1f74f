import { addColumns } from './Migration';

/**
 * Adds the number that gives an event its place in the feed, and the id of the request from which it follows. Null: not
 * numbered yet, which is also what processes of the version before write.
 */
export default addColumns('events', {
  seq: 'BIGINT UNSIGNED NULL',
  requestId: 'VARCHAR(128) CHARACTER SET ascii NULL',
});
