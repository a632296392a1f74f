import { Type } from '@sinclair/typebox';
import { nullable, optional, value, type ValueKind } from '../engine/records';
import { day, METADATA_KEY_PATTERN, oneLine, orNull, type StaticOf, text } from '../engine/schemas';

/** Keys that the metadata of a record may have. */
export const MOST_KEYS = 20;

/** A change of metadata: a key given as null is removed, one that is absent stays. */
export type MetadataChanges = Record<string, string | null>;
type Metadata = Record<string, string>;

const metadataOf = (values: object, maxProperties: number): object => ({
  type: 'object',
  maxProperties,
  propertyNames: { type: 'string', pattern: METADATA_KEY_PATTERN.source },
  additionalProperties: values,
});

/** Returns the metadata that results from a change. */
export function changedMetadata(before: Metadata, changes: MetadataChanges): Metadata {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A change may remove as many keys as it adds. */
const metadata: ValueKind<MetadataChanges, string, Metadata> = {
  request: Type.Unsafe({
    ...metadataOf(orNull(text(500)), 2 * MOST_KEYS),
    description: `Up to ${MOST_KEYS} keys; a key given as null is removed, one that is absent stays.`,
    examples: [{ project: 'P-17' }],
  }),
  response: Type.Unsafe(metadataOf(text(500), MOST_KEYS)),
  form: 'json',
  toColumn: (changes) => JSON.stringify(changedMetadata({}, changes)),
};

/** What every kind of record with details has. */
export const commonDetails = {
  externalId: optional(nullable(value(oneLine(100, 'printable'))), null),
  metadata: optional(metadata, '{}'),
};

const period = { from: day, to: day };
export type Period = StaticOf<typeof period>;

/** Two days, the last included; JSON in the column. */
export const periodKind: ValueKind<Period, string, Period> = {
  ...value(Type.Object(period, { additionalProperties: false })),
  form: 'json',
  toColumn: ({ from, to }) => JSON.stringify({ from, to }),
};
