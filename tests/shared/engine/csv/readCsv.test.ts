import { stringify } from 'csv-stringify/sync';
import { array, assert, asyncProperty, constantFrom, integer, string } from 'fast-check';
import { BrokenCsv, type CsvRecord, guardFormula, readCsv, unguardFormula } from '../../../../shared/engine/csv';

/** The file in pieces of so many bytes. */
async function* inPieces(file: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += bytes) yield await Promise.resolve(file.subarray(at, at + bytes));
}
async function read(file: string | Buffer, bytes = 64 * 1024): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const batch of readCsv(inPieces(Buffer.from(file as string), bytes))) records.push(...batch);
  return records;
}
const cellsOf = async (file: string | Buffer, bytes?: number) => (await read(file, bytes)).map(({ cells }) => cells);
const broken = async (file: string | Buffer): Promise<string> => {
  const error: unknown = await read(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BrokenCsv);
  return (error as BrokenCsv).message;
};

describe('a CSV file', () => {
  test('is read as it was written, whatever its text, its line ends, its delimiter and the pieces in which it comes', async () => {
    const cell = string({ unit: constantFrom('a', ',', ';', '"', '\n', '\r\n', 'é', '漢', '😀', "'", ' ') });
    const rows = array(array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 8 });
    await assert(
      asyncProperty(
        rows,
        constantFrom('\n', '\r\n'),
        constantFrom(',', ';'),
        integer({ min: 1, max: 9 }),
        async (all, end, by, bytes) => {
          const header = ['one', 'two', 'three'];
          const file = stringify([header, ...all], { record_delimiter: end, delimiter: by, quoted_match: /[\r\n]/ });
          const kept = all.filter((row) => row.some((text) => text !== ''));
          expect(await cellsOf(file, bytes)).toEqual([header, ...kept]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('may begin with a byte order mark, and end without a line end', async () => {
    expect(await cellsOf('\ufeffname,email\nAcme,a@b.example', 1)).toEqual([
      ['name', 'email'],
      ['Acme', 'a@b.example'],
    ]);
    expect(await cellsOf('name,email\r\n"Acme","a"\r', 3)).toEqual([
      ['name', 'email'],
      ['Acme', 'a'],
    ]);
    expect(await cellsOf('')).toEqual([]);
  });

  test('with thousands of short records in one piece is read a thousand at a time, so that other work runs in between', async () => {
    const together: number[] = [];
    for await (const batch of readCsv(inPieces(Buffer.from('a\n'.repeat(2_500)), 64 * 1024)))
      together.push(batch.length);
    expect(together.filter((count) => count > 0)).toEqual([1_000, 1_000, 500]);
  });

  test('names the line that each record begins on, across line breaks in cells and empty lines', async () => {
    const file = 'a,b\r\n"one\r\ntwo\r\nthree",x\r\n\r\n,\r\nlast,y\r\n';
    expect((await read(file)).map(({ line, cells }) => [line, cells[0]])).toEqual([
      [1, 'a'],
      [2, 'one\r\ntwo\r\nthree'],
      [7, 'last'],
    ]);
  });

  test.each([
    ['with a quote that is not closed', 'a,b\n1,2\n"3,4\n5,6\n', 'line 3 has a quote that is not closed'],
    ['with a quote in a quoted cell', 'a,b\n"1"2,3\n', 'line 2 has a quote within a cell that is not doubled'],
    ['with a quote in another cell', 'a\n5" pipe\n', 'line 2 has a quote within a cell that does not begin with one'],
    ['with a record of 5 MiB', `a\nb\n${'x'.repeat(5 * 1024 * 1024)}\n`, 'line 3 begins a record of more than 128 KiB'],
    ['in Latin-1', Buffer.from('name\nAcme\nMüller\n', 'latin1'), 'line 3 is not UTF-8'],
    ['in UTF-16', Buffer.from('\ufeffname\nAcme\n', 'utf16le'), 'line 1 is not UTF-8'],
  ])('%s is broken, and the error names the line', async (_, file, message) => {
    expect(await broken(file)).toBe(message);
  });
});

describe('a text that a spreadsheet would take for a formula', () => {
  test.each(['=1+1', '+1', '-1', '@a', '\ta', "'=1", "''-1", "it's", "'quoted'", '', 'plain'])(
    '%j is the same text after it was guarded and unguarded',
    (text) => expect(unguardFormula(guardFormula(text))).toBe(text),
  );
  test("begins with ' when it is guarded", () => {
    expect(['=1', "'=1", 'a=1'].map(guardFormula)).toEqual(["'=1", "''=1", 'a=1']);
  });
});
