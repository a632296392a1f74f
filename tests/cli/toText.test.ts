import { Progress } from '../../cli/Progress';
import { toText } from '../../cli/toText';

describe('an outcome as text', () => {
  test('a list › is a table of the columns that the command names, whose cells are aligned', () => {
    const data = [
      { id: 14, status: 'failed', error: { code: 'email_refused' }, result: null },
      { id: 7, status: 'done', error: null, result: {} },
    ];
    expect(toText({ data }, ['id', 'status', 'error.code'])).toBe(
      ['id  status  error.code', '14  failed  email_refused', '7   done    -', ''].join('\n'),
    );
  });

  test('without columns › the fields of the first record; an empty list says so', () => {
    expect(toText({ data: [{ a: 1, b: ['x', 'y'] }] })).toBe('a  b\n1  ["x","y"]\n');
    expect(toText({ data: [] })).toBe('none\n');
  });

  test('a record › has a line for each field, dates as scripts get them', () => {
    expect(toText({ name: 'email', paused: true, since: new Date(0), error: null })).toBe(
      'name    email\npaused  true\nsince   1970-01-01T00:00:00.000Z\nerror   -\n',
    );
  });

  test('several lists › have their names above them', () => {
    expect(toText({ asOf: null, failed: [{ id: 1 }], done: [] })).toBe('failed\nid\n1\n\ndone\nnone\n\nasOf  -\n');
  });

  test('a record in a record › has its fields on lines of their own, a list of texts a line for each; none is a dash', () => {
    const error = { code: 'email_refused', message: 'no such mailbox' };
    expect(
      toText({ error, result: {}, scopes: ['read', 'write'], expenses: { created: 1, series: [{ id: 7 }] } }),
    ).toBe(
      [
        ...['expenses.series', 'id', '7', ''],
        ...['error.code        email_refused', 'error.message     no such mailbox', 'result            {}'],
        ...['scopes            read', '                  write', 'expenses.created  1', ''],
      ].join('\n'),
    );
  });

  test('a long text › is whole, wrapped between words to the width; a word that is wider is not broken', () => {
    const archive = `/backups/${'x'.repeat(30)}.tar`;
    expect(toText({ next: ['Run it: the backup is older.', 'Start the API.'], archive }, undefined, 28)).toBe(
      [
        ...['next     Run it: the backup', '         is older.', '         Start the API.'],
        ...[`archive  ${archive}`, ''],
      ].join('\n'),
    );
  });

  test('text from outside › cannot move the cursor; in a table it is cut, so that a record stays a line', () => {
    const message = `\u001b[2J\u0007${'x'.repeat(100)}\r\nnew line`;
    expect(toText({ message })).toBe(`message  [2J\n         ${'x'.repeat(100)}\n         new line\n`);
    expect(toText({ data: [{ message }] })).toBe(`message\n [2J ${'x'.repeat(54)}…\n`);
  });
});

describe('a progress bar', () => {
  function barOn(isTTY: boolean) {
    const written: string[] = [];
    const write = (text: string): boolean => written.push(text) > 0;
    return { written, bar: new Progress('retried', 400, { isTTY, write }) };
  }

  test('on a terminal › is drawn over itself, and removed in the end', () => {
    const { written, bar } = barOn(true);
    bar.show(200);
    bar.show(201);
    bar.end();
    expect(written).toEqual(['\rretried: [###############...............] 50 % (200 of 400)', '\r\u001b[K']);
  });

  test('in a pipe › is not drawn', () => {
    const { written, bar } = barOn(false);
    bar.show(200);
    bar.end();
    expect(written).toEqual([]);
  });
});
