import { generateKeyPairSync } from 'node:crypto';
import { readSendGridEvents, type Refusal, sendGridCheck } from '../../../../shared/emails/providers/sendgrid';
import { sendGridEvent, sendGridKeys, signed } from '../../../support/sendGrid';

const keys = sendGridKeys();
/** Checks the headers and, if they are not refused, the signature, as a request is checked. */
const checkBy =
  (publicKey: string) =>
  (bytes: Buffer, headers: Record<string, string | undefined>, at: Date): Refusal | null => {
    const by = sendGridCheck(publicKey);
    return by.headers(headers, at) ?? by.signature(bytes, headers);
  };
const check = checkBy(keys.publicKey);
const now = new Date('2026-03-01T10:00:00Z');
const body = JSON.stringify([sendGridEvent('delivered', 'a@b.example')]);
const lower = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const headersAt = (at: Date, of = keys, text = body) => lower(signed(of, text, at));
const ago = (ms: number): Date => new Date(now.getTime() - ms);
const DAY_MS = 86_400_000;

/** The example of SendGrid's own libraries (sendgrid-nodejs, `packages/eventwebhook`). */
const published = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
  signature: 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
  timestamp: '1600112502',
  body: `${JSON.stringify([
    {
      email: 'hello@world.com',
      event: 'dropped',
      reason: 'Bounced Address',
      sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
      sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
      'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
      timestamp: 1600112492,
    },
  ])}\r\n`,
};

describe('the signature of a request', () => {
  test('that SendGrid has published › is accepted at its time', () => {
    const headers = {
      'x-twilio-email-event-webhook-signature': published.signature,
      'x-twilio-email-event-webhook-timestamp': published.timestamp,
    };
    const at = new Date(Number(published.timestamp) * 1000 + 1_000);
    const ofPublished = checkBy(published.key);
    expect(ofPublished(Buffer.from(published.body), headers, at)).toBeNull();
    expect(ofPublished(Buffer.from(published.body.trim()), headers, at)).toBe('the signature is wrong');
  });

  test.each([0, 60_000, DAY_MS, 3 * DAY_MS - 1_000, -60_000])('%d ms old › is accepted', (ageMs) => {
    expect(check(Buffer.from(body), headersAt(ago(ageMs)), now)).toBeNull();
  });

  test.each([3 * DAY_MS + 1_000, 365 * DAY_MS, -11 * 60_000])('%d ms old › is refused', (ageMs) => {
    expect(check(Buffer.from(body), headersAt(ago(ageMs)), now)).toBe('it is too old');
  });

  test('of another key, another body, another time or another form › is refused', () => {
    const good = headersAt(now);
    const signature = 'x-twilio-email-event-webhook-signature';
    const timestamp = 'x-twilio-email-event-webhook-timestamp';
    const wrong = [
      headersAt(now, sendGridKeys()),
      headersAt(now, keys, `${body} `),
      { ...good, [timestamp]: String(Number(good[timestamp]) + 1) },
      { ...good, [timestamp]: '' },
      { ...good, [signature]: '' },
      { ...good, [signature]: 'no base64 at all' },
      { ...good, [signature]: Buffer.alloc(64, 1).toString('base64') },
      { [signature]: good[signature] },
      { [timestamp]: good[timestamp] },
      {},
    ];
    for (const headers of wrong) expect(check(Buffer.from(body), headers, now)).toBe('the signature is wrong');
  });

  test('without a configured key › is refused', () => {
    expect(checkBy('')(Buffer.from(body), headersAt(now), now)).toBe('no key is configured');
  });

  test('by a key of another kind › cannot be checked', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const text = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(() => checkBy(text)(Buffer.from(body), headersAt(now), now)).toThrow();
  });
});

describe('an event', () => {
  const read = (event: unknown) => readSendGridEvents([event])[0];

  test.each([
    ['processed', 'accepted'],
    ['deferred', 'accepted'],
    ['delivered', 'delivered'],
    ['open', 'opened'],
    ['bounce', 'bounced'],
    ['dropped', 'dropped'],
    ['spamreport', 'complained'],
  ])('%s › is read as %s', (event, kind) => {
    const given = sendGridEvent(event, 'a@b.example', { timestamp: 1600112492, reason: '550 no such user' });
    expect(read(given)).toEqual({
      id: given['sg_event_id'],
      reference: 'a@b.example',
      kind,
      address: given['email'],
      at: new Date(1600112492_000),
      providerMessageId: given['sg_message_id'],
      error: ['bounced', 'dropped'].includes(kind) ? { code: kind, message: '550 no such user' } : null,
    });
  });

  test('of the type blocked › is a bounce that says so', () => {
    expect(read(sendGridEvent('bounce', 'a@b.example', { type: 'blocked', reason: 'spam' }))).toMatchObject({
      ...{ kind: 'bounced', error: { code: 'blocked', message: 'spam' } },
    });
  });

  test('with a reason of several lines, control characters and any length › has a bounded line', () => {
    const reason = `550 a\r\nb\u0000\u001b[31mc\u2028d${'x'.repeat(100_000)}\ud83d`;
    const { error } = read(sendGridEvent('bounce', 'a@b.example', { reason })) ?? {};
    expect(error?.message).toMatch(/^550 a b \[31mc dx+$/);
    expect(error?.message).toHaveLength(1_000);
  });

  test.each([
    null,
    1,
    'text',
    [],
    {},
    ...['click', 'unsubscribe', 'group_resubscribe', 'made_up', '__proto__', 7, null].map((event) =>
      sendGridEvent(event as string, 'a@b.example'),
    ),
    ...[{ reference: undefined }, { reference: 7 }, { reference: 'x'.repeat(192) }, { reference: 'ü' }].map((changes) =>
      sendGridEvent('delivered', 'a@b.example', changes),
    ),
    ...[{ sg_event_id: undefined }, { sg_event_id: '' }, { sg_event_id: 'x'.repeat(129) }, { sg_event_id: {} }].map(
      (changes) => sendGridEvent('delivered', 'a@b.example', changes),
    ),
  ])('%j › is left out', (event) => {
    expect(read(event)).toBeUndefined();
  });

  test.each([undefined, 'x', -1, 1e12, null, Infinity])('with the time %p › has none', (timestamp) => {
    expect(read(sendGridEvent('delivered', 'a@b.example', { timestamp }))?.at).toBeNull();
  });
});
