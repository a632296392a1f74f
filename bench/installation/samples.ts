import type { InvoiceStatus } from '../../shared/domain/statuses';

/** A client that looks like one. */
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
