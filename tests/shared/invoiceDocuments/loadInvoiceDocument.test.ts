import { tokenOfPage } from '../../../shared/hostedPages';
import { loadInvoiceDocument, loadPageDocument } from '../../../shared/invoiceDocuments';
import type { Services } from '../../../shared/services';
import { createCompany, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf } from '../../support/plans';

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});

const items = ['Design', 'Hosting', 'Support'].map((description) => ({ description, quantity: 1, unitPrice: '10.00' }));

/** A sent invoice of three items, and the token of its page. */
async function sentInvoice(): Promise<{ companyId: number; id: number; token: string }> {
  const { companyId } = await createCompany(services);
  const { id } = await createInvoice(services, companyId, { status: 'sent', items });
  const token = await services.perform({ companyId, actor: 'test' }, (uow) => tokenOfPage(uow, id));
  return { companyId, id, token };
}

describe('the document of an invoice', () => {
  test('by its id and by the token of its page › has every item, in order', async () => {
    const { companyId, id, token } = await sentInvoice();
    const byId = await loadInvoiceDocument(services.sql, companyId, id);
    const byToken = await loadPageDocument(services.sql, token);
    expect(byId.document.items.map(({ description }) => description)).toEqual(['Design', 'Hosting', 'Support']);
    expect(byToken?.document).toEqual(byId.document);
  });

  test('of a page whose token begins like that of another › is its own', async () => {
    const [one, other] = [await sentInvoice(), await sentInvoice()];
    const token = one.token.slice(0, 8) + other.token.slice(8);
    await services.sql.run('UPDATE hosted_pages SET token = ?, selector = ? WHERE companyId = ?', [
      ...[token, token.slice(0, 8), other.companyId],
    ]);
    const [ofOne, ofOther] = [
      await loadPageDocument(services.sql, one.token),
      await loadPageDocument(services.sql, token),
    ];
    expect([ofOne?.invoice.id, ofOther?.invoice.id]).toEqual([one.id, other.id]);
    expect(ofOther?.document.items).toHaveLength(3);
    expect(await loadPageDocument(services.sql, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBeNull();
  });

  test('of a page › is found by the index of its selector', async () => {
    const { token } = await sentInvoice();
    const [steps = []] = await plansOf(services.sql, (sql) => loadPageDocument(sql, token));
    expect(steps[0]).toMatchObject({ table: 'h', key: 'hosted_pages_by_selector' });
    expect(steps[1]).toMatchObject({ table: 'i', key: 'PRIMARY' });
  });
});
