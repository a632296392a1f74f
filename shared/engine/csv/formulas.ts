/** Texts that a spreadsheet reads as a formula (OWASP, CSV injection), and such texts with a guard. */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Gives a text that begins like a formula a leading `'`, so that a spreadsheet shows it and computes nothing. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Returns the text that {@link guardFormula} was given. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
