import fc from 'fast-check';
import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import { languages, type Language } from '../../../shared/documents/languages';
import { selectFonts } from '../../../shared/documents/selectFonts';
import { invoiceSource } from './invoiceDocuments';
import { evaluateInOwnProcess } from './ownProcess';

const inLocale = (locale: string, currency = 'USD') =>
  buildInvoiceDocument(invoiceSource({ locale, currency, total: '1234567.50' }));

/** Every language of two or three letters that Intl knows, and those that are written in more than one script. */
function knownTags(): string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
  const two = letters.flatMap((first) => letters.map((second) => first + second));
  const all = [...two, ...two.flatMap((start) => letters.map((last) => start + last))];
  const scripted = [
    'ff-Adlm',
    'shi-Latn',
    'vai-Latn',
    'sat-Deva',
    'pa-Arab',
    'sr-Latn',
    'uz-Arab',
    'yue-Hans',
    'ms-Arab',
  ];
  return [...all.filter(isKnown), ...scripted];
}

/** A tag that only looks like one, or is the old code of another language, is none of Intl's. */
function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] === tag;
  } catch {
    return false;
  }
}

describe('buildInvoiceDocument', () => {
  it.each([
    ['en', 'USD', '$1,234,567.50'],
    ['en-US', 'EUR', '€1,234,567.50'],
    ['en-GB', 'USD', 'US$1,234,567.50'],
    ['en', 'IDR', 'IDR 1,234,567.50'],
    ['id', 'IDR', 'Rp 1.234.567,50'],
    ['id-ID', 'USD', 'US$1.234.567,50'],
    ['de', 'EUR', '1.234.567,50 €'],
    ['fr', 'EUR', '1 234 567,50 €'],
    ['sv', 'SEK', '1 234 567,50 kr'],
    ['pl', 'PLN', '1 234 567,50 zł'],
    ['hi', 'INR', '₹12,34,567.50'],
    ['ja', 'USD', '$1,234,567.50'],
    ['zh-TW', 'USD', 'US$1,234,567.50'],
    ['ar', 'EUR', '\u200f1,234,567.50 €'],
    ['ar-EG', 'EUR', '\u200f1,234,567.50 €'],
  ])('in %s an amount in %s › is written %s', (locale, currency, expected) => {
    expect(inLocale(locale, currency).total).toBe(expected);
  });

  it.each([
    ['en', 'January 31, 2025', 'March 2, 2025'],
    ['en-US', 'January 31, 2025', 'March 2, 2025'],
    ['en-GB', '31 January 2025', '2 March 2025'],
    ['id', '31 Januari 2025', '2 Maret 2025'],
    ['de', '31. Januar 2025', '2. März 2025'],
    ['de-CH', '31. Januar 2025', '2. März 2025'],
    ['sv', '31 januari 2025', '2 mars 2025'],
    ['pl', '31 stycznia 2025', '2 marca 2025'],
    ['hi', '31 जनवरी 2025', '2 मार्च 2025'],
    ['ja', '2025年1月31日', '2025年3月2日'],
    ['ar-SA', '31 يناير 2025', '2 مارس 2025'],
    ['fa', '۱۲ بهمن ۱۴۰۳', '۱۲ اسفند ۱۴۰۳'],
  ])('in %s › dates are written %s and %s', (locale, issueDate, dueDate) => {
    expect(inLocale(locale)).toMatchObject({ issueDate, dueDate });
  });

  it('groups the digits of a Swiss amount by apostrophes', () => {
    expect(inLocale('de-CH', 'CHF').total).toMatch(/^CHF 1['’]234['’]567\.50$/);
  });

  it.each(['xx', 'not a locale', '', 'bo', 'zgh'])(
    'with the locale "%s", which is unknown or has no font › counts as en',
    (locale) => {
      expect(inLocale(locale)).toMatchObject({ language: 'en', total: '$1,234,567.50', issueDate: 'January 31, 2025' });
    },
  );

  it.each([
    ['de-AT', 'de'],
    ['pt-BR', 'pt'],
    ['zh', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hant', 'zh-Hant'],
    ['in-ID', 'id'],
    ['sv', 'en'],
    ['he', 'en'],
  ])('in %s › has the words of %s', (locale, language) => {
    expect(inLocale(locale)).toMatchObject({ language, labels: languages[language as Language].labels });
  });

  it('runs from right to left where its labels do, not where only its dates do', () => {
    expect(['ar', 'ar-EG', 'he', 'fa', 'ur', 'en'].map((locale) => inLocale(locale).direction)).toEqual([
      'rtl',
      'rtl',
      'ltr',
      'ltr',
      'ltr',
      'ltr',
    ]);
  });

  it('in every language that Intl knows › has no character that no font draws', () => {
    const undrawn = knownTags().filter((locale) => {
      const documents = ['USD', 'EUR', 'IRR', 'INR', 'CNY', 'THB'].map((currency) => inLocale(locale, currency));
      const text = documents.map(({ issueDate, dueDate, taxRate, total }) =>
        [issueDate, dueDate, taxRate, total].join(),
      );
      return selectFonts(text.join()).hasUndrawn;
    });
    expect(undrawn).toEqual([]);
  });

  it('with a locale that asks for other digits or another calendar › keeps its own', () => {
    expect(inLocale('en-u-nu-arab').total).toBe('$1,234,567.50');
    expect(inLocale('de-u-ca-buddhist').issueDate).toBe('31. Januar 2025');
    expect(inLocale('ar-EG-u-nu-arab').total).toBe(inLocale('ar').total);
  });

  it.each([
    ['JPY', '1234567.00', '¥1,234,567', '1,234,567'],
    ['JPY', '1234567.50', '¥1,234,567.50', '1,234,567.50'],
    ['BHD', '1234567.50', 'BHD 1,234,567.500', '1,234,567.500'],
    ['USD', '1234567.00', '$1,234,567.00', '1,234,567.00'],
    ['IDR', '1234567.00', 'IDR 1,234,567.00', '1,234,567.00'],
    ['HUF', '1234567.00', 'HUF 1,234,567.00', '1,234,567.00'],
    ['USD', '-0.05', '\u2212$0.05', '\u22120.05'],
  ])('in %s, %s › is written %s as a total and %s as an item', (currency, amount, total, figure) => {
    const items = [{ description: 'x', quantity: '1.00', unitPrice: amount, amount }];
    const document = buildInvoiceDocument(invoiceSource({ currency, total: amount, items }));
    expect([document.total, document.items[0]?.unitPrice, document.items[0]?.amount]).toEqual([total, figure, figure]);
  });

  it('in Arabic › keeps the letters and the sign of a foreign currency in their order', () => {
    expect(inLocale('ar').total).toBe('\u200f1,234,567.50 US$\u200e');
  });

  it.each([
    ['en', '11%'],
    ['de', '11 %'],
    ['tr', '%11'],
  ])('in %s › writes a rate as %s', (locale, taxRate) => {
    expect(inLocale(locale)).toMatchObject({ taxRate });
  });

  it('is taxed unless the rate is 0', () => {
    const taxed = (taxRate: string) => buildInvoiceDocument(invoiceSource({ taxRate })).taxed;
    expect(['0.00', '0.01', '10.00'].map(taxed)).toEqual([false, true, true]);
  });

  it('at any size › writes exactly the digits that are stored', () => {
    const cents = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(cents, (value) => {
        const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
        const sign = value < 0n ? '-' : '';
        const decimal = `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const written = decimal.replace('-', '\u2212');
        const { total, items } = buildInvoiceDocument(
          invoiceSource({
            total: decimal,
            items: [{ description: 'x', quantity: '1.00', unitPrice: decimal, amount: decimal }],
          }),
        );
        expect(total.replace(/[$,]/g, '')).toBe(written);
        expect(items[0]?.amount.replace(/,/g, '')).toBe(written);
      }),
    );
  });

  it.each(['Asia/Jakarta', 'America/Los_Angeles', 'Pacific/Kiritimati'])(
    'in a process in %s › shifts no date',
    (TZ) => {
      const source = invoiceSource({ issueDate: '2024-02-29', dueDate: '2024-12-31' });
      const build = "require('./shared/documents/buildInvoiceDocument.js').buildInvoiceDocument";
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
    expect(document.items[0]?.unitPrice).toBe('\u22125,00');
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

  it('with more marks on a letter than any language has › leaves the text as it is', () => {
    const sorted = `e${'\u0301'.repeat(15)}${'\u0328'.repeat(15)}`;
    const countless = `e${'\u0301'.repeat(16)}${'\u0328'.repeat(16)}`;
    const notesOf = (notes: string) => buildInvoiceDocument(invoiceSource({ notes })).notes;
    expect(notesOf(`${sorted} ${sorted}`)).toBe(`${sorted} ${sorted}`.normalize('NFC'));
    expect(notesOf(countless)).toBe(countless);
    expect(notesOf(countless.slice(1))).toBe(countless.slice(1));
  });
});
