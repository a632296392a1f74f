import { requestInvoiceEmail } from '../../shared/emails';
import { inParallel } from '../rows/inParallel';
import type { Bench } from '../rows/Row';

/** Requests `count` e-mails of the benchmark's company, for these invoices in turn. */
export function recordEmails({ installation }: Bench, invoiceIds: readonly number[], count: number): Promise<void> {
  const { services, seeded } = installation;
  const ids = Array.from({ length: count }, (_, index) => invoiceIds[index % invoiceIds.length] ?? 0);
  return inParallel(ids, (id) =>
    services.perform({ companyId: seeded.companyId, actor: 'bench' }, (uow) => requestInvoiceEmail(uow, id)),
  );
}
