import type { Services } from '../../shared/services';
import { runCli } from '../support/commandLine';
import { createCompany, createExpense, createInvoice } from '../support/factories';
import { openTestServices } from '../support/installation';

/** Runs `counts verify` of one company. */
async function verify(companyId: number, ...args: string[]): Promise<{ exitCode: number; found: unknown }> {
  const { exitCode, stdout, stderr } = await runCli(['counts', 'verify', '--company', String(companyId), ...args]);
  if (stdout === '') throw new Error(stderr);
  return { exitCode, found: JSON.parse(stdout) };
}

describe('counts verify', () => {
  let services: Services;
  beforeAll(async () => {
    services = await openTestServices();
  });

  async function company(): Promise<number> {
    const { companyId } = await createCompany(services);
    await createInvoice(services, companyId, { status: 'sent' });
    await createInvoice(services, companyId, { status: 'sent' });
    await createExpense(services, companyId, {});
    return companyId;
  }

  const right = { exitCode: 0, found: { repaired: false, wrong: [] } };

  test('totals that are right › are reported as such', async () => {
    expect(await verify(await company())).toEqual(right);
  });

  test('totals that are wrong, of too many and of too few › are named with both figures, and corrected with --repair alone', async () => {
    const companyId = await company();
    const move = 'UPDATE record_counts SET status = ? WHERE companyId = ? AND kind = ?';
    await services.sql.run(move, ['paid', companyId, 'invoice']);
    const expected = [
      { companyId, kind: 'invoice', status: 'paid', deleted: false, records: 0, counted: 2 },
      { companyId, kind: 'invoice', status: 'sent', deleted: false, records: 2, counted: 0 },
    ];
    expect(await verify(companyId)).toEqual({ exitCode: 1, found: { repaired: false, wrong: expected } });
    expect(await verify(companyId, '--repair')).toEqual({ exitCode: 0, found: { repaired: true, wrong: expected } });
    expect(await verify(companyId)).toEqual(right);
  });
});
