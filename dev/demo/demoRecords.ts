import type { ExpenseInput } from '../../shared/expenses';
import type { ClientInput } from '../../shared/clients';
import type { InvoiceInput } from '../../shared/invoices';

export const demoCompany = {
  name: 'Nusantara Studio',
  email: 'billing@nusantara.example',
  phone: '+62 21 555 0100',
  address: 'Jl. Jenderal Sudirman 1\nJakarta 10220\nIndonesia',
  taxId: '01.234.567.8-901.000',
};

/** The third client has no e-mail address, to try the error. */
export const demoClients: readonly ClientInput[] = [
  {
    name: 'Acme Trading Ltd',
    email: 'accounts@acme.example',
    phone: '+44 20 7946 0100',
    address: '1 High Street\nLondon SW1A 1AA\nUnited Kingdom',
    taxId: 'GB123456789',
  },
  {
    name: 'PT Sinar Jaya',
    email: 'keuangan@sinarjaya.example',
    phone: '+62 31 555 0200',
    address: 'Jl. Pemuda 12\nSurabaya 60271\nIndonesia',
    locale: 'id',
  },
  { name: 'Walk-in customer', email: null },
];

export const demoCategories = ['Software', 'Travel', 'Office supplies'] as const;

type DemoInvoice = Omit<InvoiceInput, 'clientId' | 'issueDate' | 'dueDate'> & {
  /** Index in {@link demoClients}. */
  client: number;
  /** Days from today. */
  issued: number;
  due: number;
};

export const demoInvoices: readonly DemoInvoice[] = [
  {
    invoiceNumber: 'DEMO-001',
    status: 'paid',
    client: 0,
    issued: -60,
    due: -30,
    taxRate: 11,
    notes: 'Thank you for your business.',
    items: [
      { description: 'Design of the new shop', quantity: 12.5, unitPrice: '850000.00' },
      { description: 'Hosting, one year', quantity: 1, unitPrice: '3600000.00' },
    ],
  },
  {
    invoiceNumber: 'DEMO-002',
    status: 'overdue',
    client: 1,
    issued: -45,
    due: -15,
    taxRate: 11,
    items: [{ description: 'Pemeliharaan situs web', quantity: 3, unitPrice: '1250000.00' }],
  },
  {
    invoiceNumber: 'DEMO-003',
    status: 'sent',
    client: 1,
    issued: -7,
    due: 23,
    taxRate: 11,
    items: [
      { description: 'Konsultasi', quantity: 8, unitPrice: '600000.00' },
      { description: 'Diskon pelanggan tetap', quantity: 1, unitPrice: '-300000.00' },
    ],
  },
  {
    invoiceNumber: 'DEMO-004',
    status: 'cancelled',
    client: 2,
    issued: -5,
    due: 25,
    items: [{ description: 'Workshop, half a day', quantity: 1, unitPrice: '4500000.00' }],
  },
  {
    invoiceNumber: 'DEMO-005',
    status: 'draft',
    client: 0,
    issued: 0,
    due: 30,
    taxRate: 11,
    notes: 'Payable within 30 days.',
    items: [{ description: 'Consulting', quantity: 2, unitPrice: '1500000.00' }],
  },
];

type DemoExpense = Omit<ExpenseInput, 'categoryId' | 'expenseDate'> & {
  /** Index in {@link demoCategories}. */
  category: number;
  /** Days from today. */
  spent: number;
};

/** The second expense is a monthly series, to try `schedules run --as-of`. */
export const demoExpenses: readonly DemoExpense[] = [
  {
    category: 1,
    spent: -21,
    vendor: 'Nusantara Air',
    description: 'Flight to Surabaya and back, two people',
    amount: 4_850_000,
    status: 'approved',
  },
  {
    category: 0,
    spent: -10,
    vendor: 'Awan Hosting',
    description: 'Servers, one month',
    amount: 39.9,
    currency: 'EUR',
    status: 'approved',
    recurring: 'monthly',
  },
  {
    category: 2,
    spent: -4,
    vendor: 'Toko Buku Melati',
    description: 'Paper and toner',
    amount: 615_500,
  },
  {
    category: 1,
    spent: -2,
    vendor: 'Hotel Kenanga',
    description: 'One night too many',
    amount: 1_275_000,
    status: 'rejected',
  },
  { category: 2, spent: 0, vendor: 'Kopi Pagi', description: 'Coffee for the workshop', amount: 187_000 },
];
