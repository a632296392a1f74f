/**
 * A rate is kept in two columns. `taxRate`, with two decimals, is older than rates with four: to widen it, both servers would copy the
 * table and lock it meanwhile. So a rate with more decimals stands in `exactTaxRate`, as it is shown, and `taxRate` has its first two.
 * Where the two disagree, a process of an earlier version has changed `taxRate`, which then counts.
 */
export interface TaxRateColumns {
  taxRate: string;
  exactTaxRate: string | null;
}

/** Returns the columns of a rate: `8.875` is `8.87` and `8.875`, `11.00` is `11.00` and null. */
export function taxRateColumns(rate: string): TaxRateColumns {
  const twoDecimals = rate.slice(0, rate.indexOf('.') + 3);
  return { taxRate: twoDecimals, exactTaxRate: twoDecimals === rate ? null : rate };
}

/** Returns the rate of two columns. */
export function taxRateOf({ taxRate, exactTaxRate }: TaxRateColumns): string {
  return exactTaxRate?.startsWith(taxRate) ? exactTaxRate : taxRate;
}

/** SQL: the rate of invoice `i`. */
export const taxRateSql = "IF(i.exactTaxRate LIKE CONCAT(i.taxRate, '%'), i.exactTaxRate, i.taxRate)";
