import { Type } from '@sinclair/typebox';

/** The value of each changed field in `….updated` events: `[before, after]`, or `'replaced'` where these are too large. */
type Changed = Record<string, [unknown, unknown] | 'replaced'>;

/** The field of the `data` of `….updated` events. */
export const changedField = {
  changed: Type.Unsafe<Changed>({
    type: 'object',
    description: 'The value before and after the change of each field that changed; `replaced` for large ones.',
    additionalProperties: {
      anyOf: [
        { type: 'array', minItems: 2, maxItems: 2, items: {} },
        { type: 'string', const: 'replaced' },
      ],
    },
  }),
};

/** Returns those of the fields whose values differ. */
export function changedFields(
  names: readonly string[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  const differ = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differ.map((name) => [name, [before[name], after[name]]]));
}

/** Returns the sentence of a timeline about a change: `Changed dueDate and notes`. */
export function changeSummary({ changed = {} }: { changed?: Changed }): string {
  const names = Object.keys(changed);
  return names.length === 0 ? 'Saved without a change' : `Changed ${new Intl.ListFormat('en').format(names)}`;
}
