import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src';

const secret = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`;
const body = JSON.stringify({ type: 'invoice.paid', data: { text: 'é €' } });

function signed(by = secret, at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  };
}
const seconds = (offset: number): Date => new Date(Date.now() + offset * 1_000);

describe('verifyWebhook', () => {
  test('returns what a signed body says, of whatever type the body and the headers are', async () => {
    const capitalised = Object.fromEntries(Object.entries(signed()).map(([key, value]) => [key.toUpperCase(), value]));
    for (const headers of [signed(), new Headers(signed()), capitalised, { ...signed(), accept: undefined }]) {
      expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
      expect(await verifyWebhook(new TextEncoder().encode(body), headers, secret)).toEqual(JSON.parse(body));
    }
  });

  test('one of several signatures by one of several secrets is enough', async () => {
    const both = `v1a,abc ${signed(other)['webhook-signature']} ${signed()['webhook-signature']}`;
    const headers = { ...signed(), 'webhook-signature': both };
    expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
    expect(await verifyWebhook(body, signed(other), [secret, other])).toEqual(JSON.parse(body));
  });

  test.each([
    ['by another secret', body, signed(other)],
    ['of another body', `${body} `, signed()],
    ['of another id', body, { ...signed(), 'webhook-id': 'evt_2' }],
    ['of another time', body, { ...signed(), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 7) }],
    ['too old', body, signed(secret, seconds(-310))],
    ['too new', body, signed(secret, seconds(310))],
    ['without a time', body, { ...signed(), 'webhook-timestamp': '' }],
    ['without a signature', body, { ...signed(), 'webhook-signature': 'v1,' }],
    ['with a signature that is none', body, { ...signed(), 'webhook-signature': `v1,${'%'.repeat(43)}= v1,x` }],
    [
      'with a signature that is longer',
      body,
      { ...signed(), 'webhook-signature': `${signed()['webhook-signature']}x` },
    ],
    ['without headers', body, {}],
  ])('%s › is refused', async (_what, given, headers) => {
    await expect(verifyWebhook(given, headers, secret)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  test('four minutes old or new › is accepted; without a secret nothing is', async () => {
    await verifyWebhook(body, signed(secret, seconds(-240)), secret);
    await verifyWebhook(body, signed(secret, seconds(240)), secret);
    await expect(verifyWebhook(body, signed(), [])).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
