import type { CreditNoteDocumentSource, InvoiceDocumentSource } from '../../../shared/documents/InvoiceDocument';

/** A loaded invoice with every part filled; the given ones are put over it. */
export function invoiceSource(changes: Partial<InvoiceDocumentSource> = {}): InvoiceDocumentSource {
  return {
    invoiceNumber: 'INV-2025-00042',
    status: 'sent',
    issueDate: '2025-01-31',
    dueDate: '2025-03-02',
    currency: 'USD',
    taxRate: '11.00',
    subtotal: '1850.50',
    tax: '203.56',
    total: '2054.06',
    notes: 'Please mention the invoice number.\nThank you for your business.',
    items: [
      { description: 'Design of the new shop', quantity: '12.50', unitPrice: '120.00', amount: '1500.00' },
      { description: 'Hosting, one month', quantity: '1.00', unitPrice: '350.50', amount: '350.50' },
    ],
    sender: {
      name: 'Nusantara Studio',
      email: 'billing@nusantara.example',
      phone: '+62 21 555 0100',
      address: 'Jl. Jenderal Sudirman 1\nJakarta 10220\nIndonesia',
      taxId: '01.234.567.8-901.000',
    },
    client: {
      name: 'Acme Trading Ltd',
      email: 'accounts@acme.example',
      phone: null,
      address: '1 High Street\nLondon SW1A 1AA',
      taxId: 'GB123456789',
    },
    locale: 'en',
    logoKey: null,
    payments: [],
    credited: '0.00',
    due: changes.total ?? '2054.06',
    paidOn: null,
    paymentUrl: null,
    payableOnline: null,
    details: {},
    paymentInstructions: null,
    ...changes,
  };
}

/** A loaded credit note for a part of {@link invoiceSource}; the given ones are put over it. */
export function creditNoteSource(changes: Partial<CreditNoteDocumentSource> = {}): CreditNoteDocumentSource {
  const { sender, client } = invoiceSource();
  return {
    creditNoteNumber: 'CN-2025-00007',
    issueDate: '2025-02-14',
    reason: 'The hosting was cancelled.',
    invoiceNumber: 'INV-2025-00042',
    invoiceIssueDate: '2025-01-31',
    currency: 'USD',
    taxRate: '11.00',
    subtotal: '350.50',
    tax: '38.56',
    total: '389.06',
    notes: 'The amount is refunded within a week.',
    items: [{ description: 'Hosting, one month', quantity: '1.00', unitPrice: '350.50', amount: '350.50' }],
    locale: 'en',
    logoKey: null,
    ...{ sender, client },
    ...changes,
  };
}
