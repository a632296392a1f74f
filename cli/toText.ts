/** Two spaces between columns. */
const GAP = '  ';
/** A cell is cut after so many characters; `--json` has all of it. */
const WIDEST = 60;

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns an outcome as a person reads it: each list of records as a table, anything else as a line with its name.
 * @param columns of the tables, by path (`error.code`); without them all fields of the first record
 */
export function toText(outcome: object, columns?: readonly string[]): string {
  const entries = Object.entries(asJson(outcome));
  const tables = entries.filter((entry): entry is [string, Row[]] => isTable(entry[1]));
  const facts = entries.filter(([, value]) => !isTable(value));
  const parts = tables.map(([name, rows]) => {
    const title = tables.length > 1 || name !== 'data' ? `${name}\n` : '';
    return rows.length === 0 ? `${title}none\n` : `${title}${table(rows, columns)}`;
  });
  if (facts.length > 0) parts.push(lines(facts.map(([name, value]) => [name, cell(value)])));
  return parts.join('\n');
}

/** Dates and what has a `toJSON` of its own are shown as a script would get them. */
const asJson = (value: object): Row => JSON.parse(JSON.stringify(value)) as Row;

const isTable = (value: unknown): boolean =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null);

function table(rows: readonly Row[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  return lines([columns, ...rows.map((row) => columns.map((path) => cell(valueAt(row, path))))]);
}

function valueAt(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row);
}

function lines(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

/** Text from outside cannot move the cursor or write over other lines. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);

  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return printable.length > WIDEST ? `${printable.slice(0, WIDEST - 1)}…` : printable;
}
