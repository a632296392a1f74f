import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderInvoiceEmail } from '../../shared/documents';
import { loadInvoiceDocument } from '../../shared/invoiceDocuments';
import type { EmailTask } from '../limits/sendEmails';
import { apiLoad, type Requests } from './apiLoad';
import { downloadPdf, downloadPdfs } from './pdfs';
import { type Bench, connections, type Row } from './Row';
import { requestInvoiceEmail } from '../../shared/emails';
import { inParallel } from './callApi';

const invoices = 200;

export const sendEmail: Row = {
  name: 'email',
  what: 'POST …/send-email, over SMTP',
  limit: { what: 'bare nodemailer, pooled, the same message', atLeast: 0.3 },
  async prepare(bench) {
    const ids = await sentInvoices(bench);
    const message = await messageOf(bench, ids[0] ?? 0);
    const bare = bench.startMeasurer<EmailTask>('dist/bench/limits/sendEmails.js');
    const { smtp, services } = bench.installation;
    const task = {
      smtpUrl: smtp.url,
      concurrency: connections,
      connections: services.config.worker.concurrency.email,
      message,
    };
    return {
      project: apiLoad(bench, sends(ids)),
      limit: (seconds) => bare.run({ ...task, seconds }),
    };
  },
};

/** The e-mails of these invoices. */
export function sends(invoiceIds: readonly number[]): Requests {
  return { method: 'POST', paths: invoiceIds.map((id) => `/api/invoices/${id}/send-email`) };
}

/** Invoices in status `sent`, with stored PDFs: another row measures printing. */
export async function sentInvoices(bench: Bench): Promise<number[]> {
  const candidates = await bench.fresh.take(invoices * 2);
  const { services, seeded } = bench.installation;
  const sent = await services.sql.rows<{ id: number }>(
    "SELECT id FROM invoices WHERE companyId = ? AND status = 'sent' AND id BETWEEN ? AND ?",
    [seeded.companyId, candidates[0] ?? 0, candidates[candidates.length - 1] ?? 0],
  );
  const ids = sent.map(({ id }) => id).slice(0, invoices);
  await downloadPdfs(bench, ids);
  return ids;
}

async function messageOf(bench: Bench, invoiceId: number): Promise<EmailTask['message']> {
  const { services, seeded } = bench.installation;
  const { document } = await loadInvoiceDocument(services, seeded.companyId, invoiceId, { asSent: true });
  const pdfFile = join(bench.dataDir, 'bare-email.pdf');
  await writeFile(pdfFile, await downloadPdf(bench, invoiceId));
  const { subject, text, html } = renderInvoiceEmail(document);
  return { from: document.sender.email ?? '', to: document.client.email ?? '', subject, text, html, pdfFile };
}

/** Requests `count` e-mails of the benchmark's company, for these invoices in turn. */
export function recordEmails({ installation }: Bench, invoiceIds: readonly number[], count: number): Promise<void> {
  const { services, seeded } = installation;
  const ids = Array.from({ length: count }, (_, index) => invoiceIds[index % invoiceIds.length] ?? 0);
  return inParallel(ids, (id) =>
    services.perform({ companyId: seeded.companyId, actor: 'bench' }, (uow) => requestInvoiceEmail(uow, id)),
  );
}
