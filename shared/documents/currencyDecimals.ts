/** Currencies with other than two decimals. `Intl` has others for some (none for IDR), and changes them with its data. */
const decimals: Readonly<Record<number, readonly string[]>> = {
  0: [
    ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF'],
    ...['UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'],
  ],
  3: ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'],
  4: ['CLF', 'UYW'],
};

const byCurrency = new Map(
  Object.entries(decimals).flatMap(([count, codes]) => codes.map((code) => [code, Number(count)] as const)),
);

/** Returns the decimals of a currency by its code, the same in every version of Node.js. Source: ISO 4217, list one, "minor unit". */
export function currencyDecimals(currency: string): number {
  return byCurrency.get(currency) ?? 2;
}
