import createReceiptUsage from '../../../shared/engine/migrations/steps/20261121101200-create-receipt-usage';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { MovableClock } from '../../support/clock';
import { createCompany } from '../../support/factories';
import { pdf } from '../../support/images';
import { storedKeys } from '../../support/receipts';
import { startApi, type Caller, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
const clock = new MovableClock();
let api: TestApi;
let caller: Caller;
let companyId: number;

beforeAll(async () => {
  api = await startApi({ env: { RECEIPTS_QUOTA_MB: '1' }, clock });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

/** A PDF of exactly so many bytes; each name makes another content. */
function receiptOf(bytes: number, name: string): Buffer {
  return pdf(name.padEnd(bytes - pdf('').length, '.'));
}
const send = (bytes: Buffer) => caller.post('/api/receipts').attach('file', bytes, 'a');
const usage = async (): Promise<number | undefined> => {
  const rows = await api.services.sql.rows<{ bytes: number }>('SELECT bytes FROM receipt_usage WHERE companyId = ?', [
    companyId,
  ]);
  return rows[0]?.bytes;
};

describe('the receipts of a company', () => {
  test('up to its quota are taken; one byte more is 409 limit_reached, and nothing of it is stored', async () => {
    await send(receiptOf(MIB - 5_000, 'first')).expect(201);
    const before = await storedKeys();
    const { body } = await send(receiptOf(5_001, 'second')).expect(409);
    expect(body).toMatchObject({ code: 'limit_reached', detail: expect.stringContaining('1 MiB') as string });
    expect(await storedKeys()).toEqual(before);
    await send(receiptOf(5_000, 'third')).expect(201);
    expect(await usage()).toBe(MIB);
  });

  test('of a few bytes count as a block of the disk', async () => {
    for (const name of ['one', 'two']) await send(receiptOf(300, name)).expect(201);
    expect(await usage()).toBe(2 * 4_096);
  });

  test('with content that is there already take no further room, also at the quota', async () => {
    await send(receiptOf(MIB, 'same')).expect(201);
    await Promise.all([1, 2, 3].map(() => send(receiptOf(MIB, 'same')).expect(201)));
    expect(await usage()).toBe(MIB);
  });

  test('uploaded at the same time cannot exceed it together; another company has its own', async () => {
    const size = 300 * 1024;
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => send(receiptOf(size, `at once ${index}`))));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(await usage()).toBe(3 * size);
    const other = await createCompany(api.services);
    await api.as(other.token).post('/api/receipts').attach('file', receiptOf(size, 'at once 0'), 'a').expect(201);
  });

  test('that a fault cut off give their room back when they are cleaned up', async () => {
    jest.spyOn(api.services.files, 'putFile').mockRejectedValueOnce(new Error('killed'));
    await send(receiptOf(MIB, 'cut off')).expect(500);
    await send(receiptOf(400, 'too early')).expect(409);
    clock.moveOn(3_600_001);
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 1 });
    expect(await usage()).toBe(0);
    await send(receiptOf(MIB, 'in its place')).expect(201);
  });

  test('from before the quota count as well', async () => {
    await send(receiptOf(1_000, 'from before')).expect(201);
    await createReceiptUsage.down(api.services.sequelize);
    await createReceiptUsage.up(api.services.sequelize);
    expect(await usage()).toBe(1_000);
  });

  test('have no limit with RECEIPTS_QUOTA_MB=0', async () => {
    const unlimited = await startApi({ env: { RECEIPTS_QUOTA_MB: '0' } });
    const { token } = await createCompany(unlimited.services);
    for (const name of ['one', 'two']) {
      await unlimited.as(token).post('/api/receipts').attach('file', receiptOf(MIB, name), 'a').expect(201);
    }
  });
});
