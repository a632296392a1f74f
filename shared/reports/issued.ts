/**
 * SQL: whether credit notes take back all of the invoice `i`. A cancelled one of which that is true was issued all the same: its credit
 * notes count on days of their own, and leaving it out as well would subtract it twice.
 */
export const isCreditedSql = '(i.total > 0 AND i.credited >= i.total)';

/** SQL: whether the invoice `i` and its credit notes are in the sums of what was issued. */
export const isIssuedSql = `(i.softDelete = 0 AND (i.status NOT IN ('draft', 'cancelled') OR (i.status = 'cancelled' AND ${isCreditedSql})))`;
