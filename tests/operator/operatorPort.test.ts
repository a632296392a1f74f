import { request } from 'node:http';
import { openOperatorPort } from '../../operator';
import { operatorToken, startOperator, type TestOperator } from '../support/operator';

let operator: TestOperator;
beforeAll(async () => {
  operator = await startOperator();
});

const basic = (password: string): string => `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;

describe('the operator port', () => {
  test.each([
    ['no token', ''],
    ['another token', 'Bearer other'],
    ['a longer token', `Bearer ${operatorToken}x`],
    ['an empty token', 'Bearer'],
    ['another password', basic('other')],
    ['an empty password', basic('')],
    ['the token in another scheme', `Digest ${operatorToken}`],
  ])('a request with %s › gets 401 on every path, and a browser asks for the password', async (_, authorization) => {
    for (const path of ['/metrics', '/queues', '/board', '/']) {
      const headers = new Headers(authorization === '' ? [] : [['Authorization', authorization]]);
      const response = await fetch(`${operator.url}${path}`, { headers });
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic realm=/);
      expect(await response.text()).not.toMatch(/invoicing_|waiting/);
    }
  });

  test.each([`Bearer ${operatorToken}`, `bearer ${operatorToken}`, basic(operatorToken)])(
    'the token as %j › is accepted',
    async (authorization) => {
      const response = await fetch(`${operator.url}/queues`, { headers: { Authorization: authorization } });
      expect(response.status).toBe(200);
    },
  );

  test('a page of another origin › gets nothing that it could read', async () => {
    for (const path of ['/metrics', '/queues', '/']) {
      const headers = await headersOf(path, { Origin: 'https://evil.example' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  test.each(['https://evil.example', 'null', 'not a URL'])(
    'a change from the origin %j › is refused, whatever the browser adds',
    async (origin) => {
      expect(await statusOf('POST', '/queues', { Origin: origin })).toBe(403);
      expect(await statusOf('POST', '/queues', { Origin: operator.url })).toBe(405);
    },
  );

  test('paths and methods that are not served › get 404 and 405', async () => {
    expect((await operator.get('/')).status).toBe(404);
    expect((await operator.get('/metricsx')).status).toBe(404);
    expect(await statusOf('DELETE', '/metrics', {})).toBe(405);
    expect(await statusOf('HEAD', '/metrics', {})).toBe(200);
  });

  test('a port that is taken › is a configuration error that names it', async () => {
    await expect(openOperatorPort(operator.services)).rejects.toMatchObject({
      name: 'ConfigurationError',
      problems: [expect.stringMatching(/^OPERATOR_PORT=\d+ of OPERATOR_HOST=127\.0\.0\.1 is used by another/)],
    });
  });
});

describe('the Host of a request', () => {
  let open: TestOperator;
  beforeAll(async () => {
    open = await startOperator({ env: { OPERATOR_TOKEN: '', OPERATOR_HOST: 'localhost' } });
  });
  const answersTo = async (Host: string, { url }: TestOperator): Promise<number> =>
    (await send('GET', '/queues', { Host }, url)).status;

  test.each(['localhost', 'localhost:9464', 'LOCALHOST:80', '127.0.0.1:9464', '[::1]:9464', '10.0.0.7:9464'])(
    'without a token, %s › is served: no name of a stranger is in it',
    async (host) => expect(await answersTo(host, open)).toBe(200),
  );

  test.each([
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'user@evil.example',
  ])('without a token, %s › gets 421, and pauses no queue', async (host) => {
    expect(await answersTo(host, open)).toBe(421);
    // As the browser of a developer sends it for the page of that name.
    const page = { Host: host, Origin: `http://${host.replace(/^.*@/, '')}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await send('PUT', '/board/api/queues/email/pause', page, open.url)).status).toBe(421);
  });

  test('with a token › any name is served to whoever has it', async () => {
    expect(await answersTo('billing.internal:9464', operator)).toBe(200);
  });
});

function send(method: string, path: string, headers: Record<string, string>, url = operator.url) {
  return new Promise<{ status: number; headers: object }>((resolve, reject) => {
    request(`${url}${path}`, { method, headers: { Authorization: `Bearer ${operatorToken}`, ...headers } })
      .on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      })
      .on('error', reject)
      .end();
  });
}
const statusOf = async (...call: Parameters<typeof send>) => (await send(...call)).status;
const headersOf = async (path: string, headers: Record<string, string>) => (await send('GET', path, headers)).headers;
