import { replaceKey } from './Migration';

/**
 * Lets the due jobs of one company be found in order, so that every company gets its turn at a backlog, and the failed ones be retried
 * without a look at any other company's. The index `jobs_to_relay` goes: since `jobs_to_relay_by_queue` nothing reads it, and every
 * change of a status has written both.
 */
export default replaceKey(
  'jobs',
  ['jobs_to_relay', 'status, relayAt, id'],
  ['jobs_by_company', 'companyId, status, queue, relayAt, id'],
);
