/** The groups of operations. */
export const tags = {
  Invoices: 'What is billed to clients: totals, numbers, PDFs, e-mails and payment links.',
  'Credit notes': 'What takes back a part of an invoice that was sent.',
  Expenses: 'What the company has spent.',
  Clients: 'Whom invoices are addressed to.',
  Categories: 'What expenses are sorted by.',
  Receipts: 'The files that expenses refer to.',
  Imports: 'Files of clients and of expenses, whose rows become records.',
  Reports: 'Sums over invoices, credit notes, payments and expenses: as JSON, or as CSV for a spreadsheet.',
  Company: 'The sender of invoices, which every API key belongs to.',
  'API keys': 'Who may do what.',
  Events: 'What happened in the company, in order.',
  Webhooks: 'Where events are sent, what became of each, and sending them again.',
  Jobs: 'Work that was accepted and has not ended when the response was sent.',
  Service: 'What needs no API key.',
} as const;

export type Tag = keyof typeof tags;
