/** The fields of a `….created` event for its sentence. */
interface Created {
  status?: string;
  amount?: string | undefined;
  currency?: string;
  seriesId?: number;
  occurrenceDate?: string;
}

/** Returns the sentence of a timeline: `Created as draft, 150.00 IDR, for 2027-02-28 of the series 12`. */
export function createdSummary({ status, amount, currency, seriesId, occurrenceDate }: Created): string {
  const parts = [
    status === undefined ? 'Created' : `Created as ${status}`,
    ...(amount === undefined ? [] : [[amount, currency].join(' ').trimEnd()]),
    ...(seriesId === undefined ? [] : [`for ${occurrenceDate ?? 'a day'} of the series ${seriesId}`]),
  ];
  return parts.join(', ');
}
