import { isUtf8 } from 'node:buffer';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line of the file that it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A file that is no CSV in UTF-8. */
export class BrokenCsv extends Error {
  /** @param line that the broken record begins on, from 1 */
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line} ${problem}`);
    this.name = 'BrokenCsv';
  }
}

/** Bytes of one record. The longest that a record of the service takes has a third. */
const MAX_RECORD_BYTES = 128 * 1024;
/** Empty lines of a file: spreadsheets write some, and each takes time. */
const MAX_EMPTY_LINES = 50_000;
/** Records that are yielded together, at most: 64 KiB can have 32,000. */
const MOST_TOGETHER = 1_000;

const MARK = '\u00ef\u00bb\u00bf';
/** Beyond ASCII, in a text whose characters are bytes. */
const BEYOND_ASCII = /[\u0080-\u00ff]/;
const [COMMA, SEMICOLON, QUOTE, LF] = [0x2c, 0x3b, 0x22, 0x0a] as const;

/**
 * Reads the records of a CSV file (RFC 4180, UTF-8 with or without a byte order mark, lines that end with LF or CRLF), piece by piece:
 * at most a piece and one record are held in memory. The delimiter is `;` where the first line has more of these than of commas, as
 * spreadsheets of many countries write it. Empty lines, and those with nothing but delimiters, are left out. Yields the records that end
 * in a piece together, at most {@link MOST_TOGETHER}: 64 KiB of records of usual length take about a millisecond of the event loop.
 *
 * The parsers of npm say the wrong line after a quoted line break, and take fifteen times as long.
 * @throws {BrokenCsv} for a quote that is not closed, or is within a cell without being doubled; a record of more than
 * {@link MAX_RECORD_BYTES}; bytes that are not UTF-8; more than {@link MAX_EMPTY_LINES}.
 */
export async function* readCsv(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<CsvRecord[]> {
  const reader = new RecordReader();
  for await (const piece of pieces) yield* reader.read(piece.toString('latin1'), false);
  yield* reader.read('', true);
}

/** Splits text of which each character is a byte of the file: bytes of one character may be in two pieces. */
class RecordReader {
  private text = '';
  private line = 1;
  private emptyLines = 0;
  private delimiter: number | null = null;
  private begun = false;

  /** Yields the records that are complete, and keeps the rest. */
  *read(piece: string, isEnd: boolean): Generator<CsvRecord[]> {
    this.text += piece;
    if (!this.begun) {
      if (this.text.length < MARK.length && !isEnd) return;
      if (this.text.startsWith(MARK)) this.text = this.text.slice(MARK.length);
      this.begun = true;
    }
    let records: CsvRecord[] = [];
    let at = 0;
    while (at < this.text.length) {
      const found = this.recordAt(at, isEnd);
      if ((found?.end ?? this.text.length) - at > MAX_RECORD_BYTES) {
        throw new BrokenCsv(this.line, `begins a record of more than ${MAX_RECORD_BYTES / 1024} KiB`);
      }
      if (found === null) break;
      const cells = this.decoded(found.cells, this.text.slice(at, found.end));
      if (cells.some((cell) => cell !== '')) records.push({ line: this.line, cells });
      else if (++this.emptyLines > MAX_EMPTY_LINES) {
        throw new BrokenCsv(this.line, `is empty, as are more than ${MAX_EMPTY_LINES} lines of the file`);
      }
      this.line += linesIn(this.text, at, found.end);
      at = found.end;
      if (records.length < MOST_TOGETHER) continue;
      yield records;
      records = [];
    }
    this.text = this.text.slice(at);
    yield records;
  }

  /** Returns the record that begins at an offset and where it ends, or null when more text is needed to know. */
  private recordAt(from: number, isEnd: boolean): { cells: string[]; end: number } | null {
    const { text } = this;
    const delimiter = this.delimiterAt(from, isEnd);
    if (delimiter === null) return null;
    const cells: string[] = [];
    for (let at = from; ; at++) {
      let cell: string;
      if (text.charCodeAt(at) === QUOTE) {
        const close = this.closingQuote(at + 1, isEnd);
        if (close === null) return null;
        cell = text.slice(at + 1, close).replaceAll('""', '"');
        at = close + 1;
        if (text[at] === '\r' && (text.charCodeAt(at + 1) === LF || at + 1 === text.length)) at++;
      } else {
        const begin = at;
        for (; at < text.length; at++) {
          const code = text.charCodeAt(at);
          if (code === delimiter || code === LF) break;
          if (code === QUOTE) throw new BrokenCsv(this.line, 'has a quote within a cell that does not begin with one');
        }
        const isLast = at >= text.length || text.charCodeAt(at) === LF;
        cell = text.slice(begin, isLast && at > begin && text[at - 1] === '\r' ? at - 1 : at);
      }
      cells.push(cell);
      if (at >= text.length) return isEnd ? { cells, end: text.length } : null;
      const code = text.charCodeAt(at);
      if (code === LF) return { cells, end: at + 1 };
      if (code !== delimiter) throw new BrokenCsv(this.line, 'has a quote within a cell that is not doubled');
    }
  }

  /** Returns where the quote is that closes a cell, or null when more text is needed to know. */
  private closingQuote(from: number, isEnd: boolean): number | null {
    const { text } = this;
    for (let at = from; ; at += 2) {
      at = text.indexOf('"', at);
      if (at < 0 && isEnd) throw new BrokenCsv(this.line, 'has a quote that is not closed');
      if (at < 0 || (at + 2 >= text.length && !isEnd)) return null;
      if (text.charCodeAt(at + 1) !== QUOTE) return at;
    }
  }

  private delimiterAt(from: number, isEnd: boolean): number | null {
    if (this.delimiter !== null) return this.delimiter;
    const end = this.text.indexOf('\n', from);
    if (end < 0 && !isEnd) return null;
    const first = this.text.slice(from, end < 0 ? undefined : end);
    const isSemicolon = first.split(';').length > first.split(',').length;
    return (this.delimiter = isSemicolon ? SEMICOLON : COMMA);
  }

  private decoded(cells: readonly string[], bytes: string): readonly string[] {
    if (!BEYOND_ASCII.test(bytes)) return cells;
    if (!isUtf8(Buffer.from(bytes, 'latin1'))) throw new BrokenCsv(this.line, 'is not UTF-8');
    return cells.map((cell) => (BEYOND_ASCII.test(cell) ? Buffer.from(cell, 'latin1').toString() : cell));
  }
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
