import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import { documentKey } from '../../../shared/documents/documentKey';
import type { InvoiceDocumentSource, Party } from '../../../shared/documents/InvoiceDocument';
import { templateVersion } from '../../../shared/documents/templateVersion';
import { invoiceSource } from './invoiceDocuments';
import { evaluateInOwnProcess } from './ownProcess';

const keyOf = (changes: Partial<InvoiceDocumentSource> = {}) =>
  documentKey(buildInvoiceDocument(invoiceSource(changes)));

describe('documentKey', () => {
  it('of the same invoice, loaded twice and with properties in another order › is the same', () => {
    const source = invoiceSource();
    const reversed = Object.fromEntries(Object.entries(source).reverse()) as unknown as InvoiceDocumentSource;
    reversed.sender = Object.fromEntries(Object.entries(source.sender).reverse()) as unknown as Party;
    expect(keyOf()).toMatch(/^[0-9a-f]{64}$/);
    expect(documentKey(buildInvoiceDocument(reversed))).toBe(keyOf());
  });

  it('on another day › is the same', () => {
    const today = keyOf();
    jest.useFakeTimers({ now: new Date('2031-05-05') });
    try {
      expect(keyOf()).toBe(today);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each<[string, Partial<InvoiceDocumentSource>]>([
    ['number', { invoiceNumber: 'INV-2' }],
    ['status', { status: 'paid' }],
    ['issue date', { issueDate: '2025-01-30' }],
    ['due date', { dueDate: '2025-03-03' }],
    ['currency', { currency: 'IDR' }],
    ['tax rate', { taxRate: '10.00' }],
    ['subtotal', { subtotal: '1850.51' }],
    ['tax', { tax: '203.57' }],
    ['total', { total: '2054.07' }],
    ['notes', { notes: '' }],
    ['purchase order', { details: { purchaseOrder: 'PO-1' } }],
    ['buyer reference', { details: { buyerReference: 'B-1' } }],
    ['service period', { details: { servicePeriod: { from: '2025-01-01', to: '2025-01-31' } } }],
    ['payment terms', { details: { paymentTerms: 'Net 30' } }],
    ['payment instructions', { paymentInstructions: 'Bank X' }],
    ['items', { items: [] }],
    ['sender', { sender: { ...invoiceSource().sender, address: 'elsewhere' } }],
    ['client', { client: { ...invoiceSource().client, name: 'Acme' } }],
    ['language', { locale: 'id' }],
    ['logo', { logoKey: 'logos/1/ab' }],
    ['payment link', { paymentUrl: 'https://pay.example/1' }],
    ['amount to pay online', { payableOnline: '2054.00' }],
  ])('after a change of the %s › is another', (_what, changes) => {
    expect(keyOf(changes)).not.toBe(keyOf());
  });

  it('takes the version of templates, fonts and code into account, which is equal in another process', () => {
    const other = evaluateInOwnProcess("require('./shared/documents/templateVersion.js').templateVersion()");
    expect(other).toBe(templateVersion());
  });

  it.each(['languages/german.js', 'localeFormat.js', 'templates/invoice.css'])(
    'after a change of %s › has another version',
    (file) => {
      const version = evaluateInOwnProcess(`(() => {
        const fs = require('node:fs');
        const read = fs.readFileSync;
        fs.readFileSync = (path, ...options) => String(path).endsWith('${file}') && options.length === 0 ? 'changed' : read(path, ...options);
        return require('./shared/documents/templateVersion.js').templateVersion();
      })()`);
      expect(version).toMatch(/^[0-9a-f]{64}$/);
      expect(version).not.toBe(templateVersion());
    },
  );
});
