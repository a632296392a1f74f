import { Webhook } from 'standardwebhooks';
import type { ReceivedEvent } from '../../../dev/eventReceiver/ReceivedEvents';
import { startEventReceiver, type EventReceiver } from '../../../dev/eventReceiver/server';
import { newSigningSecret } from '../../../shared/webhooks';

const secret = newSigningSecret();
const event = {
  type: 'invoice.paid',
  timestamp: '2026-01-31T10:00:00.000Z',
  data: { subject: { type: 'invoice', id: 17 } },
};
let receiver: EventReceiver;

beforeEach(async () => {
  receiver = await startEventReceiver({ secrets: [secret] });
});
afterEach(() => receiver.close());

interface Sent {
  id?: string;
  body?: string;
  by?: string;
  at?: Date;
  path?: string;
  headers?: Record<string, string>;
}

/** Sends a request as the service does. */
function send({
  id = 'evt_1',
  body = JSON.stringify(event),
  by = secret,
  at = new Date(),
  path = '',
  headers = {},
}: Sent = {}): Promise<Response> {
  return fetch(`${receiver.endpointUrl}${path}`, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(by).sign(id, at, body),
      ...headers,
    },
  });
}

const control = (body: object): Promise<Response> =>
  fetch(`${receiver.url}/control`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

async function listed(query = ''): Promise<ReceivedEvent[]> {
  return (await (await fetch(`${receiver.url}/api/events${query}`)).json()) as ReceivedEvent[];
}

describe('an event that arrives', () => {
  it('genuine › gets 200, and is listed as verified, with its type and subject', async () => {
    const response = await send();
    expect([response.status, await response.json()]).toEqual([200, { received: true }]);
    expect(await listed()).toMatchObject([
      {
        id: 1,
        path: '/events',
        webhookId: 'evt_1',
        occurrence: 1,
        signature: { verified: true },
        type: 'invoice.paid',
        subject: 'invoice:17',
        body: JSON.stringify(event),
        reply: { kind: 'status', status: 200 },
      },
    ]);
  });

  it('again with its webhook-id › is counted, at each path on its own', async () => {
    for (const path of ['', '', '/other']) await send({ path });
    expect((await listed()).map(({ path, occurrence }) => [path, occurrence])).toEqual([
      ['/events/other', 1],
      ['/events', 2],
      ['/events', 1],
    ]);
  });

  it.each<[string, Sent, RegExp]>([
    ['another secret', { by: newSigningSecret() }, /No matching signature/],
    ['an old timestamp', { at: new Date(Date.now() - 3_600_000) }, /too old/],
    ['no signature', { headers: { 'webhook-signature': '' } }, /Missing required headers/],
    ['a signature of nothing', { headers: { 'webhook-signature': 'v1,xyz' } }, /No matching signature/],
  ])('with %s › is listed as not verified, with the reason', async (_what, sent, reason) => {
    expect((await send(sent)).status).toBe(200);
    expect(await listed()).toMatchObject([
      { signature: { verified: false, reason: expect.stringMatching(reason) as string } },
    ]);
  });

  it.each(['', 'null', '"text"', '{"type":1}', 'not JSON'])('as %j › is kept, and is no event', async (body) => {
    await send({ body });
    expect(await listed()).toMatchObject([{ type: null, subject: null, body }]);
  });

  it('larger than a mebibyte › is refused and not kept', async () => {
    const sent = await send({ body: 'x'.repeat(1024 * 1024 + 1) }).then(
      ({ status }) => status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(sent);
    expect(await listed()).toEqual([]);
  });
});

describe('the list', () => {
  it('is filtered, limited, shown one by one, and cleared', async () => {
    for (const type of ['invoice.paid', 'invoice.sent', 'invoice.paid']) {
      await send({ body: JSON.stringify({ ...event, type }) });
    }
    expect((await listed('?type=invoice.paid')).map(({ id }) => id)).toEqual([3, 1]);
    expect(await listed('?limit=1')).toHaveLength(1);
    expect(await (await fetch(`${receiver.url}/api/events/2`)).json()).toMatchObject({ type: 'invoice.sent' });
    expect((await fetch(`${receiver.url}/api/events/9`)).status).toBe(404);
    await fetch(`${receiver.url}/api/events`, { method: 'DELETE' });
    expect(await listed()).toEqual([]);
  });

  it('keeps the newest thousand', () => {
    const add = receiver.events.add.bind(receiver.events);
    const common = { path: '/events', webhookId: null, headers: {}, body: '{}' };
    for (let index = 0; index < 1_001; index += 1) {
      add({ ...common, signature: { verified: true }, reply: { kind: 'hang' } });
    }
    const ids = receiver.events.list().map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 1_001, 2]);
  });
});

describe('the control', () => {
  it('failures › are responded with their status, as often as asked, and kept', async () => {
    await control({ mode: 'fail', status: 410, times: 2 });
    await control({ mode: 'fail' });
    const statuses = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await send()).status);
    expect(statuses).toEqual([410, 410, 500, 200]);
    expect((await listed()).map(({ reply }) => reply)).toMatchObject([
      { status: 200 },
      { status: 500 },
      { status: 410 },
      { status: 410 },
    ]);
  });

  it('hanging › never responds; a cut connection is no response', async () => {
    await control({ mode: 'hang' });
    const ended = new AbortController();
    const hanging = fetch(receiver.endpointUrl, { method: 'POST', body: '{}', signal: ended.signal });
    while (receiver.events.list().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    ended.abort();
    await expect(hanging).rejects.toThrow(/abort/);
    await control({ mode: 'break' });
    await expect(send()).rejects.toThrow(/fetch failed/);
    expect((await listed()).map(({ reply }) => reply.kind)).toEqual(['break', 'hang']);
  });

  it('late › responds with 200 after the delay', async () => {
    await control({ mode: 'late', delayMs: 1 });
    expect((await send()).status).toBe(200);
  });

  it('a further secret › verifies as well, and a reset forgets the faults', async () => {
    const other = newSigningSecret();
    await control({ secret: other, mode: 'fail', times: 5 });
    expect(await (await control({ reset: true })).json()).toEqual({ faults: [] });
    await send({ by: other });
    await send();
    expect((await listed()).map(({ signature }) => signature)).toEqual([{ verified: true }, { verified: true }]);
  });

  it.each([{ mode: 'explode' }, { times: 0 }, { status: 99 }, { secret: 'x' }, { other: 1 }, []])(
    '%j › is refused',
    async (body) => {
      const response = await control(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ message: expect.stringMatching(/body/) as string });
    },
  );

  it('pages of other origins › change nothing, and programs may', async () => {
    const foreign = await fetch(`${receiver.url}/faults`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'fault=gone',
    });
    expect(foreign.status).toBe(403);
    expect(receiver.faults.waiting).toEqual([]);
  });
});
