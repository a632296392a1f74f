import type { SchemaObject } from 'ajv';
import { type OccurrenceRecord, type Occurrences, recurrence } from '../../shared/recurrence';
import { boolean, day, listOf, named, orNull, recordId, responseBody } from '../../shared/engine/schemas';

/** Returns the list envelope with the existing occurrences and the next dates. */
export function presentOccurrences(occurrences: Occurrences): object {
  const { recurring, nextDueDate, seriesId, upcoming, data, total, page, limit, totalPages } = occurrences;
  return { recurring, nextDueDate, seriesId, upcoming, data: data.map(present), total, page, limit, totalPages };
}

function present({ id, date, status, softDelete, invoiceNumber }: OccurrenceRecord): object {
  return { id, date, ...(invoiceNumber !== undefined && { invoiceNumber }), status, softDelete: softDelete === 1 };
}

/**
 * @param name of one occurrence; the list has its plural
 * @param status the schema of the occurrences' status; further fields of theirs may follow
 */
export function occurrencesSchema(
  name: string,
  status: SchemaObject,
  others: Record<string, SchemaObject> = {},
): SchemaObject {
  const list = listOf(named(name, responseBody({ id: recordId, date: day, ...others, status, softDelete: boolean })));
  return named(
    `${name}s`,
    responseBody({
      recurring: recurrence,
      nextDueDate: orNull(day),
      seriesId: orNull(recordId),
      upcoming: { type: 'array', items: day },
      ...(list.properties as Record<string, SchemaObject>),
    }),
  );
}
