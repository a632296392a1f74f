import { oneOf } from '../engine/schemas';

/** Findings about a payment when it was recorded. They never change. */
export const paymentFlags = [
  'excess',
  'wrong_currency',
  'invoice_cancelled',
  'invoice_deleted',
  'possible_duplicate',
] as const;
export type PaymentFlag = (typeof paymentFlags)[number];

/** The schema of a payment's flag. */
export const paymentFlag = oneOf('PaymentFlag', paymentFlags);
