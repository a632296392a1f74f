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

function send(method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: object }>((resolve, reject) => {
    request(`${operator.url}${path}`, { method, headers: { Authorization: `Bearer ${operatorToken}`, ...headers } })
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
