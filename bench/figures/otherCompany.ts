import { createApiKey } from '../../shared/apiKeys';
import { createInvoice } from '../../shared/invoices';
import { callApi } from '../rows/callApi';
import type { Bench } from '../rows/Row';

/** A company that sends one e-mail at a time. `send` returns the milliseconds from its request to the response. */
export async function otherCompany(bench: Bench): Promise<{ send(): Promise<number> }> {
  const { services, seeded } = bench.installation;
  const { companyId, clientId } = seeded.other;
  const scope = { companyId, actor: 'bench' };
  const items = [{ description: 'Work', quantity: '1', unitPrice: '100' }];
  const invoice = { clientId, items, issueDate: '2026-01-15', dueDate: '2026-02-14' };
  const { id } = await services.perform(scope, (uow) => createInvoice(uow, invoice));
  const { token } = await services.perform(scope, (uow) => createApiKey(uow, { name: 'bench' }));
  return {
    send: async () => {
      const began = performance.now();
      await callApi(bench, `/api/invoices/${id}/send-email`, { method: 'POST', token });
      return performance.now() - began;
    },
  };
}
