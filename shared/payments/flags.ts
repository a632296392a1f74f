import { oneOf } from '../engine/schemas';

/** What was noticed about a payment when it was recorded. Never changed afterwards. */
export const paymentFlags = [
  'excess',
  'wrong_currency',
  'invoice_cancelled',
  'invoice_deleted',
  'possible_duplicate',
] as const;
export type PaymentFlag = (typeof paymentFlags)[number];

/** The schema of a flag. */
export const paymentFlag = oneOf('PaymentFlag', paymentFlags);
