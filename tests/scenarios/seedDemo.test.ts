import { loadConfig } from '../../config/env';
import { type DemoOptions, seedDemo } from '../../dev/demo/seedDemo';
import { newSigningSecret, signingSecrets } from '../../shared/webhooks';
import { ApiKey, Client, Company, Expense, Invoice, WebhookEndpoint } from '../../shared/models';
import { hashToken } from '../../shared/apiKeys/token';
import { revokeApiKey } from '../../shared/apiKeys/revokeApiKey';
import { installation, openTestServices } from '../support/installation';
import { startApi } from '../support/server';

const secret = newSigningSecret();

async function seed(options: Partial<DemoOptions> = {}): Promise<Awaited<ReturnType<typeof seedDemo>>> {
  const facts = await seedDemo({
    config: loadConfig({ ...(await installation()), WEBHOOK_ALLOW_PRIVATE: 'true' }),
    apiToken: undefined,
    empty: false,
    receiver: { endpointUrl: 'http://127.0.0.1:4100/events', secret },
    ...options,
  });
  // Sequelize's models belong to the connection that was opened last, and the demo's is closed again.
  await openTestServices();
  return facts;
}

describe('the demo company', () => {
  let token = '';

  test('an empty database gets company 1 with clients 1 to 3, categories, invoices, expenses with a monthly series, and a working key', async () => {
    const facts = await seed();
    expect(facts).toEqual({
      apiToken: expect.any(String),
      clientId: 1,
      clientWithoutEmailId: 3,
      categoryId: 1,
      webhookEndpointId: 1,
    });
    token = facts.apiToken ?? '';
    const client = (await startApi()).client(token);
    expect(await client.getCompany()).toMatchObject({
      id: 1,
      currency: 'IDR',
      email: expect.any(String),
      taxId: expect.any(String),
    });
    const { data: shown } = await client.listInvoices({ query: { limit: 100 } });
    expect(shown.every(({ invoiceNumber }) => invoiceNumber.startsWith('DEMO-'))).toBe(true);
    expect(new Set(shown.map(({ status }) => status))).toEqual(
      new Set(['draft', 'sent', 'paid', 'overdue', 'cancelled']),
    );
    const { data: spent } = await client.listExpenses({ query: { limit: 100 } });
    expect(new Set(spent.map(({ status }) => status))).toEqual(new Set(['pending', 'approved', 'rejected']));
    expect(new Set(spent.map(({ category }) => category.id))).toEqual(new Set([1, 2, 3]));
    expect(spent.filter(({ recurring }) => recurring === 'monthly')).toHaveLength(1);
    await client.listApiKeys();
    expect((await Client.findByPk(3))?.email ?? null).toBeNull();
  });

  test('a second start changes nothing and shows the same facts without the token', async () => {
    expect(await seed()).toEqual({
      apiToken: null,
      clientId: 1,
      clientWithoutEmailId: 3,
      categoryId: 1,
      webhookEndpointId: 1,
    });
    expect([await Company.count(), await ApiKey.count(), await Client.count()]).toEqual([1, 1, 3]);
    expect([await Invoice.count(), await Expense.count()]).toEqual([5, 5]);
  });

  test('the endpoint of the receiver signs with its secret, and follows it to another port', async () => {
    await seed({ receiver: { endpointUrl: 'http://127.0.0.1:4101/events', secret } });
    const endpoint = await WebhookEndpoint.findOne({ where: { companyId: 1, id: 1 }, rejectOnEmpty: true });
    expect(endpoint).toMatchObject({ url: 'http://127.0.0.1:4101/events', enabled: true, types: '["*"]' });
    const { secrets } = await openTestServices();
    expect(signingSecrets(secrets, endpoint, new Date())).toEqual([secret]);
    await endpoint.update({ softDelete: true });
    expect(await seed()).toMatchObject({ webhookEndpointId: 0 });
    expect(await WebhookEndpoint.count()).toBe(1);
  });

  test('a token from the environment becomes a key once, whatever printable characters it has', async () => {
    const apiToken = 'my!odd"token{of}1998';
    await seed({ apiToken });
    await seed({ apiToken });
    expect(await ApiKey.count()).toBe(2);
    expect(await (await startApi()).client(apiToken).getCompany()).toMatchObject({ id: 1 });
  });

  test('a revoked token stays revoked: the start says so', async () => {
    const apiToken = 'soon-revoked';
    await seed({ apiToken });
    const services = await openTestServices();
    const key = await ApiKey.findOne({ where: { tokenHash: hashToken(apiToken) }, rejectOnEmpty: true });
    await services.perform({ companyId: 1, actor: 'test' }, (uow) => revokeApiKey(uow, key.id));
    await expect(seed({ apiToken })).rejects.toThrow(/API_TOKEN is a key that was revoked/);
  });
});
