import { MinimumRate } from '../../../api/http/limits/MinimumRate';
import { Pace } from '../../../api/http/limits/Pace';
import { FairQueue } from '../../../shared/engine/fair';
import { eventually } from '../../support/eventually';
import { createCategory, createCompany, expenseInput } from '../../support/factories';
import { RawConnection } from '../../support/rawHttp';
import { sendGridKeys, signed } from '../../support/sendGrid';
import { startApi, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
const keys = sendGridKeys();
let api: TestApi;

beforeAll(async () => {
  const env = { XENDIT_CALLBACK_TOKEN: 'right', SENDGRID_WEBHOOK_PUBLIC_KEY: keys.publicKey };
  api = await startApi({ env: { ...env, MAX_UNFINISHED_BODIES_MB: '2' } });
});

const open: RawConnection[] = [];
afterAll(() => open.forEach(({ socket }) => socket.destroy()));

/** Sends the head of a callback from an address. */
async function begin(path: string, headers: Record<string, string | number>, from?: string): Promise<RawConnection> {
  const connection = await RawConnection.open(api.url, from);
  open.push(connection);
  const lines = Object.entries({ Host: 'x', 'Content-Type': 'application/json', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  await connection.send(`POST ${path} HTTP/1.1\r\n${text}\r\n`);
  return connection;
}

const ofGateway = (token: string) =>
  api
    .as()
    .post('/webhooks/gateway/xendit')
    .set('x-callback-token', token)
    .send({ id: 'a', external_id: 'b', status: 'PAID' });

describe('a callback whose headers show that it is forged', () => {
  test.each<[string, string, Record<string, string | number>]>([
    ['another token', '/webhooks/gateway/xendit', { 'x-callback-token': 'wrong' }],
    ['no token', '/webhooks/gateway/xendit', {}],
    ['no signature', '/webhooks/email/sendgrid', {}],
    ['an old signature', '/webhooks/email/sendgrid', signed(keys, '', new Date(0))],
  ])('%s › 401 before its body, which is not received', async (_, path, headers) => {
    const watch = jest.spyOn(MinimumRate.prototype, 'watch');
    const forged = await begin(path, { ...headers, 'Content-Length': MIB });
    expect(await forged.untilClosed()).toMatch(/^HTTP\/1.1 401 [^]*Connection: close[^]*callback_not_authentic/i);
    expect(watch).not.toHaveBeenCalled();
  });

  test('any number of them › holds up no authentic one', async () => {
    for (let n = 0; n < 300; n++) await begin('/webhooks/gateway/xendit', { 'Content-Length': 64 * 1024 });
    await ofGateway('right').expect(200);
    await ofGateway('wrong').expect(401);
  });
});

test('authentic callbacks of payment gateways and of the mail provider › have a share of the process each', async () => {
  const end = jest.spyOn(FairQueue.prototype, 'end');
  const report = signed(keys, '[]', new Date());
  await ofGateway('right').expect(200);
  await api.as().post('/webhooks/email/sendgrid').type('json').set(report).send('[]').expect(200);
  expect(end.mock.calls.map(([{ key }]) => key)).toEqual([0, -1]);
});

describe('callbacks that can be checked only with their bodies', () => {
  const path = '/webhooks/email/sendgrid';
  const forged = (bytes = MIB) => ({ ...signed(sendGridKeys(), '', new Date()), 'Content-Length': bytes });
  const authentic = async (from: string): Promise<string> => {
    const body = JSON.stringify([{ filler: 'x'.repeat(MIB / 2) }]);
    const connection = await begin(path, { ...signed(keys, body, new Date()), 'Content-Length': body.length }, from);
    void connection.send(body);
    return (await connection.until(/ \d+ /)).slice(9, 12);
  };

  test('one network › may send 2 MiB of them, then 429 before the body; another network does not notice', async () => {
    const attempts = await Promise.all(Array.from({ length: 8 }, () => begin(path, forged(), '127.0.0.2')));
    const refused = (): RawConnection[] => attempts.filter(({ received }) => received !== '');
    await eventually(() => refused().length === 5);
    for (const { received } of refused()) expect(received).toMatch(/^HTTP\/1.1 429 [^]*Retry-After: \d/);
    expect(await authentic('127.0.0.2')).toBe('429');
    expect(await authentic('127.0.0.3')).toBe('200');
  });

  test('a network that has sent an authentic one › may send more', async () => {
    for (let n = 0; n < 8; n++) expect(await authentic('127.0.0.3')).toBe('200');
  });

  test('many networks › send their chunks at one pace, which a network that has sent an authentic one does not wait for', async () => {
    // At this instant, so that what was used up stays so.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const counted = jest.spyOn(Pace.prototype, 'count');
    const head = { ...signed(sendGridKeys(), '', new Date()), 'Transfer-Encoding': 'chunked' };
    const bodies = await Promise.all([1, 2, 3].map((n) => begin(path, head, `127.0.2.${n}`)));
    const chunks = `40\r\n${' '.repeat(64)}\r\n`.repeat(8_000);
    for (const body of bodies) void body.send(`${chunks}0\r\n\r\n`);
    const refused = (): number => bodies.filter(({ received }) => received.startsWith('HTTP/1.1 401')).length;
    await eventually(() => refused() === 3 || counted.mock.calls.length > 16_500);
    expect(await authentic('127.0.0.3')).toBe('200');
    expect(refused()).toBeLessThan(3);
  });

  test('many networks › take none of the memory of companies', async () => {
    // Nobody is too slow in this test, however slow the machine is.
    jest.spyOn(MinimumRate.prototype, 'watch').mockReturnValue(() => undefined);
    const { companyId, token } = await createCompany(api.services);
    const expense = JSON.stringify(expenseInput((await createCategory(api.services, companyId)).id));
    const padded = expense.slice(0, -1) + ' '.repeat(0.9 * MIB);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': padded.length + 1 };
    const slow = await begin('/api/expenses', headers);
    await slow.send(padded);
    const bytes = MIB / 2;
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const connection = await begin(path, forged(bytes), `127.0.1.${n + 1}`);
        await connection.send(Buffer.alloc(bytes - 1, ' '));
        return connection;
      }),
    );
    await eventually(() => bodies.filter(({ received }) => received.startsWith('HTTP/1.1 503')).length >= 4);
    await slow.send('}');
    expect(await slow.until(/ \d+ /)).toMatch(/^HTTP\/1.1 201 /);
  });
});
