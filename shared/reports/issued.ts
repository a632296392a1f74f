/** SQL: what the credit notes of the invoice `i` take off in all, as a decimal. */
export const creditedSql = `(SELECT COALESCE(SUM(k.total), 0) FROM credit_notes k
      WHERE k.companyId = i.companyId AND k.invoiceId = i.id)`;

/**
 * SQL: whether the invoice `i`, which is cancelled, is so because credit notes took off all of it. Such an invoice was issued: the credit
 * notes take it off on days of their own, and leaving it out as well would take it off twice.
 */
export const isCreditedSql = `(i.total > 0 AND ${creditedSql} >= i.total)`;

/** SQL: whether the invoice `i` and its credit notes are in the sums of what was issued. */
export const isIssuedSql = `(i.softDelete = 0 AND (i.status NOT IN ('draft', 'cancelled') OR (i.status = 'cancelled' AND ${isCreditedSql})))`;
