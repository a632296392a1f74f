import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadInvoiceDocument } from '../../shared/invoiceDocuments';
import { pagePath, tokenOfPage } from '../../shared/hostedPages';
import { besideBare, html } from './apiLoad';
import type { Bench, Row } from './Row';

const pages = 500;

export const hostedPage: Row = {
  name: 'page',
  what: 'GET /i/{token}, the page of an invoice',
  limit: { what: 'bare Koa + mysql2, the same queries and template', atLeast: 0.6 },
  async prepare(bench) {
    const { paths, documentFile } = await invoicePages(bench);
    const requests = { paths, expected: html, manyNetworks: true, headers: {} };
    return besideBare(bench, 'hostedPage', requests, { DOCUMENT_FILE: documentFile });
  },
};

/** Pages of sent invoices, and a file with the document of one of them. */
async function invoicePages({ installation, dataDir }: Bench): Promise<{ paths: string[]; documentFile: string }> {
  const { services, seeded } = installation;
  const { companyId } = seeded;
  const sent = await services.sql.rows<{ id: number }>(
    `SELECT id FROM invoices WHERE companyId = ? AND status = 'sent' ORDER BY id LIMIT ${pages}`,
    [companyId],
  );
  const paths: string[] = [];
  await services.perform({ companyId, actor: 'bench' }, async (uow) => {
    for (const { id } of sent) paths.push(pagePath(await tokenOfPage(uow, id)));
  });
  const { document } = await loadInvoiceDocument(services, companyId, sent[0]?.id ?? 0);
  const documentFile = join(dataDir, 'page-document.json');
  await writeFile(documentFile, JSON.stringify(document));
  return { paths, documentFile };
}
