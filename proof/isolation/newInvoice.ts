/** Returns the body of an ordinary create with three items. */
export function newInvoice(clientId: number, over: object = {}): object {
  return {
    clientId,
    issueDate: '2026-01-15',
    dueDate: '2026-02-14',
    taxRate: '11',
    notes: 'Thank you for your business.',
    items: [
      { description: 'Consulting, on site', quantity: '3.00', unitPrice: '1250000.00' },
      { description: 'Software licence', quantity: '3.00', unitPrice: '199000.50' },
      { description: 'Travel expenses', quantity: '1.00', unitPrice: '104500.00' },
    ],
    ...over,
  };
}
