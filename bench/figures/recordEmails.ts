import { requestInvoiceEmail } from '../../shared/emails';
import { connections, type Bench } from '../rows/Row';

/** Requests `count` e-mails of the benchmark's company, of these invoices in rounds. */
export async function recordEmails(
  { installation }: Bench,
  invoiceIds: readonly number[],
  count: number,
): Promise<void> {
  const { services, seeded } = installation;
  let recorded = 0;
  const record = async (): Promise<void> => {
    while (recorded < count) {
      const invoiceId = invoiceIds[recorded++ % invoiceIds.length] ?? 0;
      await services.perform({ companyId: seeded.companyId, actor: 'bench' }, (uow) =>
        requestInvoiceEmail(uow, invoiceId),
      );
    }
  };
  await Promise.all(Array.from({ length: connections }, record));
}
