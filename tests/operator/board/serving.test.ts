import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { dirname, join } from 'node:path';
import { BoardServer } from '../../../operator/board/BoardServer';
import { boardError } from '../../../operator/board/boardError';
import { operatorToken, startOperator, type TestOperator } from '../../support/operator';

let operator: TestOperator;
beforeAll(async () => {
  operator = await startOperator();
});

const Authorization = `Bearer ${operatorToken}`;
const favicon = join(dirname(require.resolve('@bull-board/ui/package.json')), 'dist/static/favicon.ico');

/** Sends a path as it stands: `fetch` would normalise it. */
async function statusOf(path: string): Promise<number> {
  const { hostname, port } = new URL(operator.url);
  const socket = connect(Number(port), hostname);
  socket.end(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${Authorization}\r\nConnection: close\r\n\r\n`,
  );
  return Number((await text(socket)).split(' ', 2)[1]);
}

test('a file › is sent with its type, length and time; HEAD has the same headers', async () => {
  const [whole, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) =>
      fetch(`${operator.url}/board/static/favicon.ico`, { method, headers: { Authorization } }),
    ),
  );
  expect(Buffer.from(await whole!.arrayBuffer())).toEqual(readFileSync(favicon));
  const headersOf = ({ headers }: Response) =>
    ['content-type', 'content-length', 'last-modified'].map((name) => headers.get(name));
  expect(headersOf(whole!)).toEqual([
    'image/vnd.microsoft.icon',
    String(readFileSync(favicon).length),
    expect.any(String),
  ]);
  expect(headersOf(head!)).toEqual(headersOf(whole!));
  expect(await head!.text()).toBe('');
});

test.each([
  '/board/static/../index.ejs',
  '/board/static/%2e%2e/index.ejs',
  '/board/static/..%2findex.ejs',
  '/board/static/../../package.json',
  '/board/static//etc/passwd',
  '/board/static/',
  '/board/static/js',
  '/board/static/none.js',
  '/board/index.ejs',
  '/board/nothing',
])('%s › 404', async (path) => {
  expect(await statusOf(path)).toBe(404);
});

test('another method › 405 with those that there are', async () => {
  const response = await fetch(`${operator.url}/board/api/queues`, { method: 'DELETE', headers: { Authorization } });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'HEAD, GET']);
});

test('a change with a body that is no JSON › is done, because its body is not read', async () => {
  const send = (path: string) =>
    fetch(`${operator.url}/board/api/queues/pdf/${path}`, {
      ...{ method: 'PUT', headers: { Authorization, 'Content-Type': 'application/json' }, body: '{'.repeat(100_000) },
    });
  expect((await send('pause')).status).toBe(200);
  expect((await send('resume')).status).toBe(200);
});

test('a version of bull-board that leaves something out › is named when the board is loaded', async () => {
  const server = new BoardServer('/board', boardError).setUIConfig({}).setViewsPath('/nowhere');
  await expect(server.middleware()).rejects.toThrow('bull-board has set only uiConfig, viewsPath');
});
