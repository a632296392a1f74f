/**
 * ISO 4217 codes that can be invoiced in: the runtime's own list (ICU). Historic codes stay, so that old
 * records can be read and put back.
 */
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** True for an upper-case ISO 4217 code such as `IDR`. */
export function isCurrency(code: string): boolean {
  return codes.has(code);
}
