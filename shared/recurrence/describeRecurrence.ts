import { Type } from '@sinclair/typebox';
import type { SchemaObject } from 'ajv';
import { placeholders, type Sql } from '../engine/db';
import { NotFound } from '../engine/errors';
import {
  assigned,
  day,
  decided,
  describeRecord,
  equal,
  type Fields,
  type Filter,
  flag,
  nullable,
  optional,
  type Presenter,
  presenter,
  readRecord,
  type RecordDescription,
  type RecordSource,
  type RowOf,
  value,
} from '../engine/records';
import { recordId } from '../engine/schemas';
import { recurrence, recurrences } from './recurrences';
import { noSeries } from './SeriesState';

const periods = Type.Integer({
  minimum: 1,
  maximum: 36,
  description: 'Periods from one date to the next: `monthly` and 3 is quarterly.',
});

/** The fields that make a record a series (see `SeriesState`). */
export const recurrenceFields = {
  recurring: decided(value(recurrence)),
  every: optional(value(periods), noSeries.every),
  nextDueDate: decided(nullable(day)),
  endsOn: optional(nullable(day), noSeries.endsOn),
  paused: optional(flag, 0),
};

/** Of an occurrence: its series. */
export const seriesIdField = assigned(nullable(value(recordId)));

/** The recurrence of one kind of record, whose columns are its fields. */
export interface RecurrenceDescription<F extends Fields> extends Pick<RecordDescription<F>, 'changeable'> {
  /** For a SELECT in which the record is `r`. */
  readonly columns: string;
  /** The body of a PUT. */
  readonly body: SchemaObject;
  readonly present: Presenter<RowOf<F>>;
}

/** Describes the recurrence of one kind of record. @param title `InvoiceRecurrence` */
export function describeRecurrence<const F extends Fields>(title: string, fields: F): RecurrenceDescription<F> {
  const described = describeRecord(title, fields);
  const { changesBody: body, changeable } = described;
  return { columns: described.columnsOf('r'), changeable, body, present: presenter(fields, { title }) };
}

/**
 * Reads the recurrence of a record. The record is read first, so that its entity tag is never newer.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function readRecurrence<Row extends object, F extends Fields>(
  sql: Sql,
  companyId: number,
  [source, { columns }]: readonly [RecordSource<Row>, RecurrenceDescription<F>],
  id: number,
  options?: { includeDeleted?: boolean },
): Promise<{ record: Row; recurrence: RowOf<F> }> {
  const record = await readRecord(sql, companyId, source, id, options);
  const [found] = await sql.rows<RowOf<F>>(
    `SELECT ${columns} FROM ${source.table} r WHERE r.companyId = ? AND r.id = ?`,
    [companyId, id],
  );
  if (found === undefined) throw new NotFound(source.name);
  return { record, recurrence: found };
}

const series = recurrences.filter((word) => word !== 'none');

/** The filters of a list of records that can recur: an index serves each. */
export const recurrenceFilters: Readonly<Record<string, Filter>> = {
  recurring: {
    schema: {
      type: 'string',
      enum: [...recurrences, 'any'],
      description: 'Records with this value; `any`: all series.',
    },
    condition(asked, alias) {
      const values = asked === 'any' ? series : [asked];
      return { text: `${alias}.recurring IN (${placeholders(values.length)})`, values };
    },
  },
  seriesId: equal('seriesId', { ...recordId, description: 'The occurrences of this series.' }),
};
