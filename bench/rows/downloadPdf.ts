import { callApi } from './callApi';
import { inParallel } from './inParallel';
import type { Bench } from './Row';

/** Downloads the PDF of an invoice from the API. @throws {Error} when the response is not a PDF. */
export async function downloadPdf(bench: Bench, invoiceId: number): Promise<Buffer> {
  const response = await callApi(bench, `/api/invoices/${invoiceId}/pdf`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error(`the response for invoice ${invoiceId} is no PDF`);
  return bytes;
}

/** Downloads many PDFs. */
export function downloadPdfs(
  bench: Bench,
  invoiceIds: readonly number[],
  keep: (invoiceId: number, bytes: Buffer) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return inParallel(invoiceIds, async (id) => keep(id, await downloadPdf(bench, id)));
}
