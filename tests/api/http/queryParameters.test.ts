import { createCompany } from '../../support/factories';
import { startApi, type Caller } from '../../support/server';

let caller: Caller;
beforeAll(async () => {
  const api = await startApi();
  caller = api.as((await createCompany(api.services)).token);
});

describe('a parameter that the operation does not have', () => {
  test.each([
    ['/api/invoices?statuss=paid', 'statuss', 'status'],
    ['/api/invoices?client_id=3', 'client_id', 'clientId'],
    ['/api/invoices?CLIENTID=3', 'CLIENTID', 'clientId'],
    ['/api/invoices?dueFrom=2026-01-01', 'dueFrom', 'dueDateFrom'],
    ['/api/expenses?vendor=3', 'vendor', 'vendorId'],
    ['/api/clients/1?includedeleted=true', 'includedeleted', 'includeDeleted'],
  ])('%s › is refused, and the nearest one is named', async (path, name, nearest) => {
    const { body } = await caller.get(path).expect(400);
    const message = `is not a known parameter. Did you mean ${nearest}?`;
    expect(body).toMatchObject({
      code: 'validation_failed',
      detail: `${name} ${message}`,
      errors: [{ path: name, message }],
    });
  });

  test('that resembles none › is refused, and the known ones are named', async () => {
    const { body } = await caller.get('/api/clients/1?zzz=1').expect(400);
    expect(body).toMatchObject({ detail: 'zzz is not a known parameter. Known are includeDeleted' });
  });

  test('of an operation without parameters, also of a change › is refused', async () => {
    const detail = 'dryRun is not a known parameter. This operation takes none';
    expect((await caller.get('/api/company?dryRun=1').expect(400)).body).toMatchObject({ detail });
    expect((await caller.post('/api/clients?dryRun=1').send({ name: 'A' }).expect(400)).body).toMatchObject({ detail });
    expect((await caller.get('/api/clients').expect(200)).body).toMatchObject({ total: 0 });
  });

  test('with a name of 7,000 letters › is refused with the beginning of the name', async () => {
    const { body } = await caller.get(`/api/invoices?${'s'.repeat(7_000)}=1`).expect(400);
    expect((body as { detail: string }).detail.length).toBeLessThan(700);
  });

  test('of which many are sent › a few are named', async () => {
    const query = Array.from({ length: 90 }, (_, index) => `x${index}=1`).join('&');
    const { body } = await caller.get(`/api/invoices?${query}`).expect(400);
    expect((body as { errors: object[] }).errors).toHaveLength(20);
  });
});

test('an empty parameter › counts as absent', async () => {
  const { body } = await caller.get('/api/invoices?status=&clientId=&limit=&page=').expect(200);
  expect(body).toMatchObject({ page: 1, limit: 10 });
});
