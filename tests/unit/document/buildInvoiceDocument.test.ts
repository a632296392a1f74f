import fc from 'fast-check';
import { buildInvoiceDocument } from '../../../shared/document/buildInvoiceDocument';
import { invoiceSource } from './invoiceDocuments';
import { evaluateInOwnProcess } from './ownProcess';

const inLocale = (locale: string, currency = 'USD') =>
  buildInvoiceDocument(invoiceSource({ locale, currency, total: '1234567.50' }));

describe('buildInvoiceDocument', () => {
  it.each([
    ['en', 'USD', '$1,234,567.50'],
    ['en-US', 'EUR', '€1,234,567.50'],
    ['en-GB', 'USD', 'US$1,234,567.50'],
    ['en', 'IDR', 'IDR 1,234,567.50'],
    ['id', 'IDR', 'Rp 1.234.567,50'],
    ['id-ID', 'USD', 'US$1.234.567,50'],
    ['id', 'JPY', 'JP¥1.234.567,50'],
  ])('in %s an amount in %s › is written %s', (locale, currency, expected) => {
    expect(inLocale(locale, currency).total).toBe(expected);
  });

  it.each([
    ['en', 'January 31, 2025', 'March 2, 2025'],
    ['en-US', 'January 31, 2025', 'March 2, 2025'],
    ['en-GB', '31 January 2025', '2 March 2025'],
    ['id', '31 Januari 2025', '2 Maret 2025'],
  ])('in %s › dates are written %s and %s', (locale, issueDate, dueDate) => {
    expect(inLocale(locale)).toMatchObject({ issueDate, dueDate });
  });

  it.each(['xx', 'not a locale', '', 'de-DE', 'zh-Hant-TW'])(
    'with the unknown locale "%s" › writes English',
    (locale) => {
      expect(inLocale(locale)).toMatchObject({ language: 'en', total: '$1,234,567.50', issueDate: 'January 31, 2025' });
    },
  );

  it('with a locale that asks for other digits or the old code of Indonesian › keeps its own digits and words', () => {
    expect(inLocale('en-u-nu-arab').total).toBe('$1,234,567.50');
    expect(inLocale('in-ID').labels.title).toBe('Faktur');
  });

  it('with a currency without cents › still writes two decimals', () => {
    expect(inLocale('en-US', 'JPY').total).toBe('¥1,234,567.50');
    expect(inLocale('en-US', 'KWD').total).toBe('KWD 1,234,567.50');
  });

  it('at any size › writes exactly the digits that are stored', () => {
    const cents = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(cents, (value) => {
        const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
        const decimal = `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const { total, items } = buildInvoiceDocument(
          invoiceSource({
            total: decimal,
            items: [{ description: 'x', quantity: '1.00', unitPrice: decimal, amount: decimal }],
          }),
        );
        expect(total.replace(/[$,]/g, '')).toBe(decimal);
        expect(items[0]?.amount.replace(/,/g, '')).toBe(decimal);
      }),
    );
  });

  it.each(['Asia/Jakarta', 'America/Los_Angeles', 'Pacific/Kiritimati'])(
    'in a process in %s › shifts no date',
    (TZ) => {
      const source = invoiceSource({ issueDate: '2024-02-29', dueDate: '2024-12-31' });
      const build = "require('./shared/document/buildInvoiceDocument.ts').buildInvoiceDocument";
      expect(evaluateInOwnProcess(`${build}(${JSON.stringify(source)})`, { TZ })).toMatchObject({
        issueDate: 'February 29, 2024',
        dueDate: 'December 31, 2024',
      });
    },
  );

  it('quantities and rates › lose useless zeros and nothing else', () => {
    const quantities = ['1.00', '12.50', '0.25', '9999999999999.99'].map((quantity) => ({
      description: 'x',
      quantity,
      unitPrice: '-5.00',
      amount: '-5.00',
    }));
    const document = buildInvoiceDocument(invoiceSource({ items: quantities, taxRate: '8.25', locale: 'id' }));
    expect(document.items.map((item) => item.quantity)).toEqual(['1', '12,5', '0,25', '9.999.999.999.999,99']);
    expect(document.taxRate).toBe('8,25%');
    expect(document.items[0]?.unitPrice).toBe('-5,00');
  });

  it.each([
    ['draft', 'Draft'],
    ['sent', null],
    ['paid', 'Paid'],
    ['overdue', 'Overdue'],
    ['cancelled', 'Cancelled'],
  ] as const)('with status %s › is stamped %s', (status, stamp) => {
    expect(buildInvoiceDocument(invoiceSource({ status })).stamp).toBe(stamp);
  });

  it('with a payment link that is not http › shows none', () => {
    expect(buildInvoiceDocument(invoiceSource({ paymentUrl: 'javascript:alert(1)' })).paymentUrl).toBeNull();
    expect(buildInvoiceDocument(invoiceSource({ paymentUrl: 'https://pay.example/1' })).paymentUrl).toBe(
      'https://pay.example/1',
    );
  });

  it('with letters typed as base and accents › composes them', () => {
    const name = 'Nguyễn'.normalize('NFD');
    expect(buildInvoiceDocument(invoiceSource({ notes: name })).notes).toBe('Nguyễn'.normalize('NFC'));
  });
});
