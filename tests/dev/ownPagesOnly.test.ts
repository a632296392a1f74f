import { request } from 'node:http';
import { startMailCatcher, type MailCatcher } from '../../dev/mailCatcher/server';
import { startSandboxGateway, type SandboxGateway } from '../../dev/sandboxGateway/server';

let mail: MailCatcher;
let sandbox: SandboxGateway;

beforeAll(async () => {
  mail = await startMailCatcher();
  const keys = { secretKey: 'secret', callbackToken: 'token' };
  sandbox = await startSandboxGateway({ ...keys, publicUrl: 'https://pay.dev.example' });
});

afterAll(async () => {
  await mail.close();
  await sandbox.close();
});

/** fetch sets these headers itself. */
function statusOf(method: string, url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end();
  });
}

const parts = (): [string, string][] => [
  [mail.url, '/'],
  [mail.url, '/api/messages'],
  [mail.url, '/control'],
  [sandbox.url, '/links'],
  [sandbox.url, '/control'],
];
const controls = (): [string, string, string][] => [
  ['DELETE', mail.url, '/api/messages'],
  ['PUT', mail.url, '/control'],
  ['DELETE', sandbox.url, '/links'],
  ['PUT', sandbox.url, '/control'],
  ['POST', sandbox.url, '/links/x/callback'],
  ['POST', sandbox.url, '/web/x/pay'],
];

describe('the pages and controls of the stand-ins', () => {
  test.each(['localhost', 'localhost:80', '127.0.0.1:1234', '[::1]:1234', 'LOCALHOST:80'])(
    'for the Host %s › are there',
    async (host) => {
      for (const [url, path] of parts()) expect(await statusOf('GET', url + path, { Host: host })).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'user@evil.example',
    '192.168.0.10',
    '[::2]',
  ])('for the Host "%s" › 403', async (host) => {
    for (const [url, path] of parts()) expect(await statusOf('GET', url + path, { Host: host })).toBe(403);
    for (const [method, url, path] of controls()) expect(await statusOf(method, url + path, { Host: host })).toBe(403);
  });

  test.each(['https://evil.example', 'http://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:3000'])(
    'a change that a page of %s asks for › 403',
    async (origin) => {
      for (const [method, url, path] of controls()) {
        expect(await statusOf(method, url + path, { Origin: origin })).toBe(403);
      }
    },
  );

  test('a change that their own page or a program asks for › is done', async () => {
    expect(await statusOf('DELETE', `${mail.url}/api/messages`, { Origin: mail.url })).toBe(204);
    expect(await statusOf('DELETE', `${mail.url}/api/messages`, {})).toBe(204);
    expect(await statusOf('DELETE', `${sandbox.url}/links`, { Origin: sandbox.url })).toBe(204);
    expect(await statusOf('DELETE', `${sandbox.url}/links`, {})).toBe(204);
  });

  test('the public address that was configured › is their own', async () => {
    const headers = { Host: 'pay.dev.example', Origin: 'https://pay.dev.example' };
    expect(await statusOf('DELETE', `${sandbox.url}/links`, headers)).toBe(204);
    expect(await statusOf('DELETE', `${mail.url}/api/messages`, headers)).toBe(403);
  });
});

describe("the provider's API of the sandbox", () => {
  test('works under any name, for callers with the secret key', async () => {
    const Authorization = `Basic ${Buffer.from('secret:').toString('base64')}`;
    const url = `${sandbox.url}/v2/invoices`;
    expect(await statusOf('GET', url, { Authorization, Host: 'sandbox:8080', Origin: 'https://a.example' })).toBe(200);
    expect(await statusOf('GET', url, { Host: 'sandbox:8080' })).toBe(401);
  });
});
