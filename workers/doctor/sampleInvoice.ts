import type { buildInvoiceDocument } from '../../shared/documents';

const party = { email: null, phone: null, address: null, taxId: null };

/** An invoice that is printed to see that printing works, and is not kept. */
export const sampleInvoice: Parameters<typeof buildInvoiceDocument>[0] = {
  invoiceNumber: 'DOCTOR-1',
  status: 'sent',
  issueDate: '2026-01-01',
  dueDate: '2026-01-31',
  currency: 'USD',
  taxRate: '0.00',
  subtotal: '1.00',
  tax: '0.00',
  total: '1.00',
  notes: '',
  items: [{ description: 'Check of the installation', quantity: '1.00', unitPrice: '1.00', amount: '1.00' }],
  sender: { name: 'Sender', ...party },
  client: { name: 'Client', ...party },
  locale: 'en',
  logoKey: null,
  payments: [],
  credited: '0.00',
  due: '1.00',
  paidOn: null,
  paymentUrl: null,
  payableOnline: null,
  details: {},
  paymentInstructions: null,
};
