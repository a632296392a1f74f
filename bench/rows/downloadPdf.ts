import { connections, type Bench } from './Row';

/** Downloads the PDF of an invoice from the API. @throws {Error} when the response is not a PDF. */
export async function downloadPdf({ installation }: Bench, invoiceId: number): Promise<Buffer> {
  const response = await fetch(`${installation.apiUrl}/api/invoices/${invoiceId}/pdf`, {
    headers: { Authorization: `Bearer ${installation.seeded.token}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200 || bytes.toString('latin1', 0, 5) !== '%PDF-') {
    throw new Error(
      `the PDF of invoice ${invoiceId} got the response ${response.status}: ${bytes.toString('utf8', 0, 500)}`,
    );
  }
  return bytes;
}

/** Downloads many PDFs, over all connections of the benchmark at the same time. */
export async function downloadPdfs(
  bench: Bench,
  invoiceIds: readonly number[],
  keep: (invoiceId: number, bytes: Buffer) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const left = [...invoiceIds];
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await keep(id, await downloadPdf(bench, id));
  };
  await Promise.all(Array.from({ length: connections }, work));
}
