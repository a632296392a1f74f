const [newline, quote, backslash, open, close, semicolon, lastOfValues] = [...Buffer.from("\n'\\();S")] as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
/** The beginning of a line up to here decides whether it inserts rows. */
const LONGEST_HEAD = 8_192;

/** Counts the rows of each table in a dump, which comes in pieces. */
export class RowCounter {
  readonly rows: Record<string, number> = {};
  /** The current line, while it is not an INSERT. */
  private head = '';
  /** The table into which the current statement inserts, or null. */
  private table: string | null = null;
  private depth = 0;
  private inText = false;
  private escaped = false;

  feed(chunk: Buffer): void {
    // An index is several times as fast as an iterator here.
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.table === null) this.readHead(byte);
      else if (this.inText) this.readText(byte);
      else this.readValue(byte, this.table);
    }
  }

  private readHead(byte: number): void {
    if (byte === newline) this.head = '';
    else if (this.head.length < LONGEST_HEAD) this.head += String.fromCharCode(byte);
    if (byte !== lastOfValues || !this.head.endsWith(' VALUES')) return;
    this.table = /^INSERT INTO `([^`]+)`/u.exec(this.head)?.[1] ?? null;
    if (this.table !== null) this.head = '';
  }

  private readText(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === backslash) this.escaped = true;
    else if (byte === quote) this.inText = false;
  }

  private readValue(byte: number, table: string): void {
    if (byte === quote) this.inText = true;
    else if (byte === open) {
      if (this.depth++ === 0) this.rows[table] = (this.rows[table] ?? 0) + 1;
    } else if (byte === close) this.depth--;
    else if (byte === semicolon && this.depth === 0) this.table = null;
  }
}
