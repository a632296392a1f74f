import { replaceKey } from './Migration';

/** Lets the open payment links of one company be read in the order in which they are polled, so that companies take turns. */
export default replaceKey(
  'payment_links',
  ['payment_links_to_poll', 'status, pollAt, id'],
  ['payment_links_to_poll', 'companyId, status, pollAt, id'],
);
