import { addKeys, inTurn } from './Migration';

/** Lets reports read the payments of some days, and the invoices that were paid since a day, without all others. */
export default inTurn(
  addKeys('payments', { payments_by_time: 'companyId, paidAt, id' }),
  addKeys('invoices', { invoices_by_paid: 'companyId, paidAt, id' }),
);
