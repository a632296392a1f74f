import { addColumns } from './Migration';

/**
 * Adds what the log and the traces say of a job's origin: the id of the request that recorded it, and the `traceparent` (W3C Trace
 * Context) under which its runs continue the trace. Null for old rows, for those of old processes, and for jobs without a request.
 */
export default addColumns('jobs', {
  requestId: 'VARCHAR(128) CHARACTER SET ascii NULL',
  traceparent: 'VARCHAR(64) CHARACTER SET ascii NULL',
});
