/**
 * Counts from outside the service: operations that the API accepted (2xx); effects that must exist because of them,
 * exist, are missing, or exist more than once; operations whose outcome the service does not know.
 */
export const countNames = ['accepted', 'expected', 'found', 'lost', 'doubled', 'uncertain'] as const;

export type Counts = Record<(typeof countNames)[number], number>;

export const noCounts = (): Counts => ({ accepted: 0, expected: 0, found: 0, lost: 0, doubled: 0, uncertain: 0 });

export const addCounts = (a: Readonly<Counts>, b: Readonly<Counts>): Counts =>
  Object.fromEntries(countNames.map((name) => [name, a[name] + b[name]])) as Counts;
