/**
 * The entity tag of an invoice as GET shows it: both parts grow with every change of the invoice and of its client's
 * summary. RFC 9110, 8.8.3.
 */
export function invoiceETag(updatedAt: string | Date, clientUpdatedAt: string | Date): string {
  return `"${millis(updatedAt)}-${millis(clientUpdatedAt)}"`;
}

function millis(moment: string | Date): string {
  const date = typeof moment === 'string' ? new Date(`${moment.replace(' ', 'T')}Z`) : moment;
  return date.getTime().toString(36);
}
