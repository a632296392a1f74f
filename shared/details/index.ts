/** What callers keep with a record beside its own fields. Stands below invoices and expenses, which both have details. */
export {
  byExternalId,
  changeDetails,
  copyDetails,
  type DetailFields,
  describeDetails,
  type Details,
  insertDetails,
  knownExternalIds,
  readDetails,
  refuseDuplicateId,
} from './details';
export { commonDetails, type Period, periodKind } from './fields';
export { invoiceReference, type InvoiceReference, referenceOf } from './invoiceReference';
