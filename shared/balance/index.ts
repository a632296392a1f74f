/** What of an invoice is paid. Stands below invoices, payment links and payments, which all ask for it. */
export { Payment } from './Payment';
export {
  type Asked,
  type Balance,
  balanceOf,
  type Counted,
  countedPayments,
  coveredAt,
  coveredBy,
  coveredSql,
  coveredThenSql,
  countsSql,
  dueOf,
} from './balance';
