import { randomBytes } from 'node:crypto';
import { Invoice, PaymentLink } from '../../../shared/models';
import { eventually } from '../../support/eventually';
import { createCompany, createInvoice } from '../../support/factories';
import { installation } from '../../support/installation';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { startTcpProxy } from '../../support/tcpProxy';

let api: TestApi;
let as: Caller;
let visitor: Caller;
let companyId: number;

const env = { PUBLIC_URL: 'https://billing.example.com', JOB_WAIT_MS: '100', TRUST_PROXY: 'true' };
beforeAll(async () => {
  api = await startApi({ env });
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  as = api.as(company.token);
  visitor = from(`192.0.2.${(companyId % 250) + 1}`);
});

/** Requests without a key, from one address. */
const from = (ip: string): Caller => api.as().set('X-Forwarded-For', ip);
const token = (): string => randomBytes(24).toString('base64url');

async function invoice(
  status: 'draft' | 'sent' | 'paid' | 'cancelled' = 'sent',
): Promise<{ id: number; path: string }> {
  const { id } = await createInvoice(api.services, companyId, { status });
  return { id, path: await pathOf(id) };
}

async function pathOf(id: number): Promise<string> {
  const { body } = await as.get(`/api/invoices/${id}/hosted-page`).expect(200);
  const { url } = body as { url: string };
  expect(url).toMatch(/^https:\/\/billing\.example\.com\/i\/[\w-]{32}$/);
  return new URL(url).pathname;
}

describe('the address', () => {
  test('asked for several times, also at the same time › is the same, and differs from every other', async () => {
    const { id } = await createInvoice(api.services, companyId, { status: 'sent' });
    const paths = await Promise.all(Array.from({ length: 8 }, () => pathOf(id)));
    expect(new Set([...paths, await pathOf(id)]).size).toBe(1);
    expect((await invoice()).path).not.toBe(paths[0]);
  });

  test('revoked › is 404 from then on, and the next one is new; revoking again is no error', async () => {
    const { id, path } = await invoice();
    await visitor.get(path).expect(200);
    const { body } = await as.delete(`/api/invoices/${id}/hosted-page`).expect(200);
    expect(body).toEqual({ message: 'The address of the page is revoked' });
    await as.delete(`/api/invoices/${id}/hosted-page`).expect(200);
    await visitor.get(path).expect(404);
    const next = await pathOf(id);
    expect(next).not.toBe(path);
    await visitor.get(next).expect(200);
  });

  test.each(['get', 'delete'] as const)('%s, of another company’s or a deleted invoice › 404', async (method) => {
    const { id } = await invoice();
    const other = await createCompany(api.services);
    await api.as(other.token)[method](`/api/invoices/${id}/hosted-page`).expect(404);
    await as.delete(`/api/invoices/${id}`).expect(200);
    await as[method](`/api/invoices/${id}/hosted-page`).expect(404);
  });
});

describe('the page', () => {
  test('asked for with thousands of parameters › 400 before they are parsed', async () => {
    const { path } = await invoice();
    const parse = jest.spyOn(URLSearchParams.prototype, 'getAll');
    await visitor.get(`${path}?${'a=&'.repeat(2_500)}`).expect(400);
    expect(parse).not.toHaveBeenCalledWith('a');
  });

  test('of a sent invoice › is private to its reader, runs no script, and lets forms lead to the provider alone', async () => {
    const { path } = await invoice();
    const { headers, text } = await visitor.get(path).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; form-action 'self' https:\/\/checkout\.xendit\.co https:\/\/checkout-staging\.xendit\.co; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/<script|https?:/);
    expect(text).toContain('INV-2026-00001');
  });

  test('of an amount that the gateway rounds › says what it asks for', async () => {
    const items = [{ description: 'Design', quantity: 1, unitPrice: '1050.50' }];
    const { id } = await createInvoice(api.services, companyId, { status: 'sent', currency: 'IDR', taxRate: 0, items });
    const { text } = await visitor.get(await pathOf(id)).expect(200);
    expect(text).toContain('<p>Amount to pay online: <strong><bdi>IDR 1,051.00</bdi></strong></p>');
  });

  test('what people typed › is escaped', async () => {
    const { id } = await createInvoice(api.services, companyId, {
      status: 'sent',
      notes: '"><script>alert(1)</script>',
    });
    const { text } = await visitor.get(await pathOf(id)).expect(200);
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
  });

  test.each(['paid', 'cancelled'] as const)(
    'of a %s invoice › stays readable, without a way to pay',
    async (status) => {
      const { path } = await invoice(status);
      const { text } = await visitor.get(path).expect(200);
      expect(text).not.toContain('<form');
      const { headers } = await visitor.post(`${path}/pay`).expect(303);
      expect(headers['location']).toBe(`../${path.split('/').at(-1)}`);
    },
  );

  test('of a draft, or a deleted invoice › 404 in the reader’s language', async () => {
    const draft = await invoice('draft');
    const { id, path } = await invoice();
    await as.delete(`/api/invoices/${id}`).expect(200);
    for (const gone of [draft.path, path]) {
      const { text, headers } = await visitor.get(gone).set('Accept-Language', 'de-CH, en;q=0.5').expect(404);
      expect(text).toContain('<html lang="de"');
      expect(text).toContain('Diese Seite gibt es nicht');
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  test('its logo and PDF › are those of the invoice; without a logo 404', async () => {
    const { path } = await invoice();
    await visitor.get(`${path}/logo`).expect(404);
    // No worker prints here.
    await visitor.get(`${path}/pdf`).expect(503);
  });

  test('with a slash at its end › 404', async () => {
    const { path } = await invoice();
    for (const address of [`${path}/`, `${path}/pay/`]) await visitor.get(address).expect(404);
  });

  test('a long Accept-Language › 431; one that nobody reads › English', async () => {
    const { text } = await visitor.get(`/i/${token()}`).set('Accept-Language', 'xx-Wxyz-11').expect(404);
    expect(text).toContain('<html lang="en"');
    await visitor.get(`/i/${token()}`).set('Accept-Language', 'de,'.repeat(400)).expect(431);
  });

  test('GET and HEAD › change nothing', async () => {
    const { id, path } = await invoice();
    const { headers } = await as.get(`/api/invoices/${id}`);
    for (const part of ['', '/pay']) {
      await visitor.get(path + part).expect(200);
      await visitor.head(path + part).expect(200);
    }
    const { body } = await as.get(`/api/invoices/${id}/payment-links`);
    expect((body as { data: unknown[] }).data).toEqual([]);
    expect((await as.get(`/api/invoices/${id}`)).headers['etag']).toBe(headers['etag']);
  });

  test('other methods and paths below › 405 and 404', async () => {
    const { path } = await invoice();
    await visitor.put(path).expect(405);
    await visitor.post(path).expect(405);
    await visitor.get(`${path}/items`).expect(404);
  });
});

describe('paying', () => {
  test('while the link is made › leads to a page that says so and reads itself again; many requests share one job', async () => {
    const { id, path } = await invoice();
    const posts = await Promise.all([1, 2, 3].map(() => visitor.post(`${path}/pay`).expect(303)));
    expect(posts.map(({ headers }) => headers['location'])).toEqual(['pay', 'pay', 'pay']);
    const { text, headers } = await visitor.get(`${path}/pay`).expect(200);
    expect(headers['refresh']).toBe('5');
    expect(text).toContain('The payment page is being prepared.');
    const jobs = await api.services.sql.rows<{ payload: string }>(
      "SELECT payload FROM jobs WHERE companyId = ? AND name = 'createPaymentLink'",
      [companyId],
    );
    expect(jobs.map(({ payload }) => JSON.parse(payload) as object)).toEqual([{ invoiceId: id }]);
  });

  test('when the link could not be made › says so, with another try', async () => {
    const { path } = await invoice();
    const { text, headers } = await visitor.get(`${path}/pay`).expect(200);
    expect(headers['refresh']).toBeUndefined();
    expect(text).toContain('The payment page cannot be opened right now.');
    expect(text).toContain('action="pay"');
  });

  test('where the stored link has run out › leads to no dead link', async () => {
    const { id, path } = await invoice();
    const now = api.services.clock.now();
    const [past, later] = [-1_000, 60_000].map((ms) => new Date(now.getTime() + ms));
    const link = {
      companyId,
      invoiceId: id,
      provider: 'xendit',
      status: 'active',
      currency: 'IDR',
      pollAt: now,
    } as const;
    const { total } = await Invoice.findOne({ where: { id }, rejectOnEmpty: true });
    const url = 'https://checkout.xendit.co/web/1';
    const times = { createdAt: now, updatedAt: now, calledAt: null };
    const stored = { ...link, ...times, reference: String(id), gatewayId: `g${id}`, url, total, amount: total };
    const made = await PaymentLink.create({ ...stored, expiresAt: past ?? now });
    expect((await visitor.post(`${path}/pay`).expect(303)).headers['location']).toBe('pay');
    expect((await visitor.get(`${path}/pay`).expect(200)).headers['refresh']).toBe('5');
    await made.update({ expiresAt: later ?? now });
    expect((await visitor.post(`${path}/pay`).expect(303)).headers['location']).toBe(url);
  });

  test('one page › asks for few payments, from however many networks', async () => {
    const { path } = await invoice();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => from(`198.51.100.${n + 1}`).post(`${path}/pay`)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([303, 429]));
  });
});

describe('whoever guesses', () => {
  test.each(['', 'x', token().slice(1), `${token()}A`, '%2e%2e', "' OR 1=1 -- ", '%00'.repeat(32)])(
    'the token %j › 404',
    async (guess) => {
      await visitor.get(`/i/${encodeURI(guess)}`).expect(404);
    },
  );

  test('a token that begins like a right one › 404', async () => {
    const { path } = await invoice();
    await visitor.get(path.slice(0, -4) + (path.endsWith('AAAA') ? 'BBBB' : 'AAAA')).expect(404);
  });

  test('many tokens › is refused soon with 429, and others are not', async () => {
    const { path } = await invoice();
    const guesser = from(`203.0.113.${(companyId % 250) + 1}`);
    const responses = await Promise.all(Array.from({ length: 40 }, () => guesser.get(`/i/${token()}`)));
    const { text, headers } = responses.find(({ status }) => status === 429) ?? { text: '', headers: {} };
    expect(text).toContain('<html lang="en"');
    expect(headers).toHaveProperty('retry-after', expect.stringMatching(/^[1-9]\d*$/));
    await visitor.get(path).expect(200);
  });

  test.each([
    [1, [200]],
    [1_000, [200, 429]],
  ])('60 pages of %i items at the same time, and one › %j', async (count, expected) => {
    const items = Array.from({ length: count }, () => ({ description: 'Item', quantity: 1, unitPrice: '1.00' }));
    const { id } = await createInvoice(api.services, companyId, { status: 'sent', items });
    const path = await pathOf(id);
    const reader = from(`198.51.100.${(companyId % 250) + 1}`);
    const read = async (): Promise<number> => (await reader.get(path)).status;
    const begun = performance.now();
    const statuses = await Promise.all(Array.from({ length: 60 }, read));
    // A page counts once, and once more for each hundred items: 100 of that immediately, then 20 a second. Several pages begin together.
    const allowed = 100 + (20 * (performance.now() - begun)) / 1_000;
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(allowed / (1 + count / 100) + 10);
    expect(new Set([...statuses, await read()])).toEqual(new Set(expected));
  });
});

test('MySQL cannot be reached › a friendly page with 503, then the page again', async () => {
  const { path } = await invoice();
  const { DATABASE_URL = '' } = await installation();
  const mysql = await startTcpProxy(DATABASE_URL);
  const frozen = await startApi({ env: { ...env, DATABASE_URL: mysql.url, DATABASE_TIMEOUT_MS: '2000' } });
  mysql.freeze();
  const { text, headers } = await frozen.as().get(path).set('Accept-Language', 'fr').expect(503);
  expect(text).toContain('Cette page ne peut pas être affichée');
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  mysql.restore();
  await eventually(async () => (await frozen.as().get(path)).status === 200);
});
