import { tokenOfPage } from '../../../shared/hostedPages';
import { loadInvoiceDocument, loadPageDocument } from '../../../shared/invoiceDocuments';
import type { Sql } from '../../../shared/engine/db';
import type { CompanyInput } from '../../../shared/companies/record';
import type { InvoiceInput } from '../../../shared/invoices/record';
import { recordManualPayment } from '../../../shared/payments';
import type { Services } from '../../../shared/services';
import { createCompany, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf } from '../../support/plans';
import { besideOtherItems } from '../../support/rows';

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

/** Of a sent invoice, in the words of its company's gateway: Xendit charges whole rupiah, Stripe takes their decimals. */
async function payableOf(
  invoice: Partial<InvoiceInput>,
  company: CompanyInput = {},
): Promise<{ payableOnline: string | null; key: string; pay: (amount: string) => Promise<string | null> }> {
  const { companyId } = await createCompany(services, { currency: 'IDR', ...company });
  const { id } = await createInvoice(services, companyId, { status: 'sent', taxRate: 0, ...invoice });
  const load = () => loadInvoiceDocument(services, companyId, id);
  const { document, key } = await load();
  const pay = async (amount: string): Promise<string | null> => {
    await services.perform({ companyId, actor: 'test' }, (uow) => recordManualPayment(uow, id, { amount }));
    return (await load()).document.payableOnline;
  };
  return { payableOnline: document.payableOnline, key, pay };
}
const priced = (unitPrice: string) => [{ description: 'Design', quantity: 1, unitPrice }];

describe('what the document says that the gateway asks for', () => {
  test.each([
    ['half a rupiah at Xendit', '1050.50', { gatewayProvider: 'xendit' }, 'IDR 1,051.00'],
    ['less than half a rupiah at the installation’s gateway, which is Xendit', '1050.40', {}, 'IDR 1,050.00'],
    ['whole rupiah', '1050.00', {}, null],
    ['rupiah with decimals at Stripe', '1050.50', { gatewayProvider: 'stripe' }, null],
    ['yen with decimals at Stripe', '1357.40', { gatewayProvider: 'stripe', currency: 'JPY' }, '¥1,357'],
    ['dollars', '1050.50', { currency: 'USD' }, null],
    ['less than the gateway can charge', '0.40', {}, null],
  ] as const)('of %s › is %s, %j: %s', async (_what, unitPrice, company, expected) => {
    expect(await payableOf({ items: priced(unitPrice) }, company)).toMatchObject({ payableOnline: expected });
  });

  test.each(['paid', 'cancelled'] as const)('of a %s invoice › is nothing', async (status) => {
    expect(await payableOf({ items: priced('1050.50'), status })).toMatchObject({ payableOnline: null });
  });

  test('follows what is due, until nothing is', async () => {
    const { pay } = await payableOf({ items: priced('1050.50') });
    expect(await pay('50.10')).toBe('IDR 1,000.00');
    expect(await pay('0.40')).toBeNull();
    expect(await pay('999.70')).toBeNull();
    expect(await pay('0.30')).toBeNull();
  });
});

describe('the document of an invoice', () => {
  test('by its id and by the token of its page › has every item, in order', async () => {
    const { companyId, id, token } = await sentInvoice();
    const byId = await loadInvoiceDocument(services, companyId, id);
    const byToken = await loadPageDocument(services, token);
    expect(byId.document.items.map(({ description }) => description)).toEqual(['Design', 'Hosting', 'Support']);
    expect(byToken?.document).toEqual(byId.document);
  });

  test('of a page whose token begins like that of another › is its own', async () => {
    const [one, other] = [await sentInvoice(), await sentInvoice()];
    const token = one.token.slice(0, 8) + other.token.slice(8);
    await services.sql.run('UPDATE hosted_pages SET token = ?, selector = ? WHERE companyId = ?', [
      ...[token, token.slice(0, 8), other.companyId],
    ]);
    const [ofOne, ofOther] = [await loadPageDocument(services, one.token), await loadPageDocument(services, token)];
    expect([ofOne?.invoice.id, ofOther?.invoice.id]).toEqual([one.id, other.id]);
    expect(ofOther?.document.items).toHaveLength(3);
    expect(await loadPageDocument(services, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBeNull();
  });

  test('is read beside its first item › beside each other item there is the id of the invoice alone', async () => {
    const { companyId, id, token } = await sentInvoice();
    for (const load of [
      (sql: Sql) => loadInvoiceDocument({ ...services, sql }, companyId, id),
      (sql: Sql) => loadPageDocument({ ...services, sql }, token),
    ]) {
      expect(await besideOtherItems(services.sql, load)).toEqual([['id'], ['id']]);
    }
  });

  test('of a page › is found by the index of its selector', async () => {
    const { token } = await sentInvoice();
    const [steps = []] = await plansOf(services.sql, (sql) => loadPageDocument({ ...services, sql }, token));
    expect(steps[0]).toMatchObject({ table: 'h', key: 'hosted_pages_by_selector' });
    expect(steps[1]).toMatchObject({ table: 'i', key: 'PRIMARY' });
  });
});
