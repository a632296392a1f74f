/** The columns that the project's responses show. */
export const bareInvoiceColumns = `i.id, i.companyId, i.clientId, i.invoiceNumber, i.status, i.issueDate, i.dueDate, i.subtotal,
  i.tax, i.taxRate, i.total, i.notes, i.currency, i.gatewayInvoiceId, i.gatewayInvoiceUrl, i.recurring, i.nextDueDate,
  i.createdAt, i.updatedAt, i.paidAt, i.softDelete, c.name AS clientName, c.email AS clientEmail`;

export const bareItemColumns = 'id, invoiceId, description, quantity, unitPrice, amount, createdAt, updatedAt';

export const bareExpenseColumns = `e.id, e.companyId, e.categoryId, e.vendorId, e.vendor, e.description, e.amount, e.currency,
  e.expenseDate, e.receiptUrl, e.status, e.recurring, e.nextDueDate, e.createdAt, e.updatedAt, e.softDelete,
  c.name AS categoryName`;
