import { stringify } from 'csv-stringify/sync';
import { PIECE_BYTES } from '../limits/OpenResponses';
import type { Cell } from './cells';
import type { CsvRows } from './CsvTable';

/** Rows that are written at a time: that takes the event loop a few milliseconds. */
const ROWS = 100;
const BYTE_ORDER_MARK = '\ufeff';
/** RFC 4180. A single CR or LF within a cell is quoted too. */
const FORMAT = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ };

/** Returns the text of a CSV file in chunks, of which each is made when it is asked for. */
export async function* csvText(
  rows: CsvRows,
  batches: AsyncIterable<readonly object[]>,
  withMark: boolean,
): AsyncGenerator<string> {
  yield (withMark ? BYTE_ORDER_MARK : '') + stringify([rows.names], FORMAT);
  for await (const batch of batches) for (const group of groupsOf(rows.of(batch))) yield stringify(group, FORMAT);
}

/** Groups rows until they are many or have much text, whatever the size of a batch. */
function* groupsOf(rows: Iterable<Cell[]>): Generator<Cell[][]> {
  let group: Cell[][] = [];
  let characters = 0;
  for (const row of rows) {
    group.push(row);
    for (const cell of row) characters += cell?.length ?? 0;
    if (group.length < ROWS && characters < PIECE_BYTES) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}
