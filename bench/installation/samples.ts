import { addDays } from '../../shared/dates/dates';
import type { ExpenseStatus } from '../../shared/expenses';
import type { InvoiceStatus } from '../../shared/invoices';

/** Returns a plausible client. */
export function sampleClient(index: number): { name: string; email: string; address: string } {
  return {
    name: `${names[index % names.length]} ${index + 1}`,
    email: `accounts-${index + 1}@client.example`,
    address: `${index + 1} Long Street\nBandung 40115\nIndonesia`,
  };
}

const names = ['Acme Supplies', 'Blue Lagoon Café', 'Toko Sinar Jaya', 'Fjord Engineering', 'Maple & Sons'];

/** Three items. */
export function sampleItems(index: number): { description: string; quantity: string; unitPrice: string }[] {
  return [
    { description: 'Consulting, on site', quantity: `${(index % 9) + 1}.00`, unitPrice: '1250000.00' },
    { description: `Software licence, seat ${index + 1}`, quantity: '3.00', unitPrice: '199000.50' },
    { description: 'Travel expenses', quantity: '1.00', unitPrice: `${100_000 + (index % 977) * 100}.00` },
  ];
}

/** Six in ten sent, two paid, one overdue, one still a draft. */
export function sampleStatus(index: number): InvoiceStatus {
  return statuses[index % statuses.length] ?? 'sent';
}

const statuses: InvoiceStatus[] = ['sent', 'paid', 'sent', 'sent', 'overdue', 'sent', 'draft', 'sent', 'paid', 'sent'];

/** Seven in ten approved; spread over two years. */
export function sampleExpense(index: number): {
  vendor: string;
  description: string;
  amount: string;
  expenseDate: string;
  status: ExpenseStatus;
} {
  return {
    vendor: `${vendors[index % vendors.length]}`,
    description: `${purposes[index % purposes.length]}, no. ${index + 1}`,
    amount: `${25_000 + (index % 1_489) * 1_250}.50`,
    expenseDate: addDays('2024-02-01', index % 730) ?? '',
    status: expenseStatuses[index % expenseStatuses.length] ?? 'approved',
  };
}

const vendors = [
  'Nusantara Air',
  'Toko Buku Melati',
  'Awan Hosting',
  'Café Lagoon',
  'City Power',
  'Ojek Cepat',
  'Pixel Tools',
];
const purposes = ['Flight to Surabaya', 'Office supplies', 'Servers, one month', 'Lunch with a client', 'Electricity'];
const expenseStatuses: ExpenseStatus[] = [
  ...(['approved', 'approved', 'pending', 'approved', 'approved'] as const),
  ...(['rejected', 'approved', 'approved', 'pending', 'approved'] as const),
];
