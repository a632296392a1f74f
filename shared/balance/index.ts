/** The balance of an invoice: a feature of its own, because invoices, payment links and payments all use it. */
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
