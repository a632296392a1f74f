import { inStatements } from './Migration';

/** Lets reports read the payments of some days, and the invoices that were paid since a day, without all others. */
export default inStatements({
  up: [
    'ALTER TABLE payments ADD KEY payments_by_time (companyId, paidAt, id), ALGORITHM=INPLACE, LOCK=NONE',
    'ALTER TABLE invoices ADD KEY invoices_by_paid (companyId, paidAt, id), ALGORITHM=INPLACE, LOCK=NONE',
  ],
  down: ['ALTER TABLE invoices DROP KEY invoices_by_paid', 'ALTER TABLE payments DROP KEY payments_by_time'],
});
