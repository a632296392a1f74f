import type { RenderInvoicePdf } from '../../shared/jobs/renderInvoicePdf';
import type { Services } from '../../shared/services';
import { pdfFileKey } from '../../shared/usecases/invoices/invoicePdf';
import { loadInvoiceDocument } from '../../shared/usecases/invoices/loadInvoiceDocument';
import { printableLogo } from '../../shared/usecases/logo/printableLogo';
import type { PdfRenderer } from '../pdf/PdfRenderer';

/**
 * Renders an invoice as it is now and stores it under the key of what was rendered, which it answers: it may be newer than
 * the one that was asked for, and may have been stored by a run just before. Pure, so it has no row and may run any number
 * of times.
 */
export async function renderInvoicePdf(
  services: Services,
  renderer: PdfRenderer,
  { companyId, invoiceId, asSent }: RenderInvoicePdf,
): Promise<string> {
  const { sql, files } = services;
  const { document, key } = await loadInvoiceDocument(sql, companyId, invoiceId, { asSent });
  const stored = pdfFileKey(companyId, key);
  if ((await files.get(stored)) !== null) return key;
  const logo = document.logoKey === null ? null : await printableLogo(services, companyId, document.logoKey);
  await files.put(stored, await renderer.render(document, logo));
  return key;
}
