/** Two spaces between columns. */
const GAP = '  ';
/** A cell of a table is cut after so many characters, so that a record stays a line; `--json` has all of it. */
const WIDEST = 60;
/** The width of a terminal that does not report one. */
const USUAL_WIDTH = 80;

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns an outcome as a person reads it: each list of records as a table, anything else whole, beside its name or path
 * (`error.code`), wrapped between words.
 * @param columns of the tables, by path; without them all fields of the first record
 * @param width of the terminal, in characters
 */
export function toText(outcome: object, columns?: readonly string[], width = USUAL_WIDTH): string {
  const entries = fieldsOf(asJson(outcome));
  const tables = entries.filter((entry): entry is [string, Row[]] => isTable(entry[1]));
  const facts = entries.filter(([, value]) => !isTable(value));
  const parts = tables.map(([name, rows]) => {
    const title = tables.length > 1 || name !== 'data' ? `${name}\n` : '';
    return rows.length === 0 ? `${title}none\n` : `${title}${table(rows, columns)}`;
  });
  if (facts.length > 0) parts.push(factLines(facts, width));
  return parts.join('\n');
}

/** Dates and other objects with a `toJSON` are shown as in JSON. */
const asJson = (value: object): Row => JSON.parse(JSON.stringify(value)) as Row;

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

/** The fields, and those of the records in them, each with its path. */
function fieldsOf(record: Row, path = ''): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
    isRecord(value) && Object.keys(value).length > 0 ? fieldsOf(value, `${path}${name}.`) : [[`${path}${name}`, value]],
  );
}

/** A line for each fact, or several: one for each element of a list, and as many as a long text needs. */
function factLines(facts: readonly (readonly [string, unknown])[], width: number): string {
  const indent = Math.max(...facts.map(([name]) => name.length)) + GAP.length;
  return facts
    .flatMap(([name, value]) => {
      const texts = Array.isArray(value) ? value.map(printable) : [printable(value)];
      const parts = texts.flatMap((text) => wrapped(text, width - indent));
      return parts.map((part, index) => `${(index === 0 ? name : '').padEnd(indent)}${part}`.trimEnd() + '\n');
    })
    .join('');
}

/** Breaks only between words: a path or a command that is longer than a line can still be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

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

/** Removes control characters, so that foreign text cannot move the cursor or overwrite lines. */
function printable(value: unknown): string {
  const text = value === null || value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);

  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

function cell(value: unknown): string {
  const text = printable(value);
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}
