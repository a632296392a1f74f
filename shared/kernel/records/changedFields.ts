import { Type } from '@sinclair/typebox';

/**
 * The schema of the `data` of `….updated` events: `{ changed: { field: [before, after] } }`, and `'replaced'` for what is too
 * large to repeat.
 */
export const changedData = Type.Object({
  changed: Type.Record(
    Type.String(),
    Type.Union([Type.Tuple([Type.Unknown(), Type.Unknown()]), Type.Literal('replaced')]),
  ),
});

/** Those of the fields whose values differ. */
export function changedFields(
  names: readonly string[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  const differ = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differ.map((name) => [name, [before[name], after[name]]]));
}
