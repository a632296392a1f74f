/**
 * SQL: whether credit notes take back all of the invoice `i`. A cancelled invoice with this counts as issued: its credit notes are
 * subtracted on their own days, so leaving it out too would subtract it twice.
 */
export const isCreditedSql = '(i.total > 0 AND i.credited >= i.total)';

/** SQL: whether the invoice `i` and its credit notes count as issued. */
export const isIssuedSql = `(i.softDelete = 0 AND (i.status NOT IN ('draft', 'cancelled') OR (i.status = 'cancelled' AND ${isCreditedSql})))`;
