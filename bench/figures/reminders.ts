import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, type DateOnly } from '../../shared/dates/dates';
import { median } from '../../dev/measuring/statistics';
import { updateCompany } from '../../shared/companies';
import { reminderCalendar } from '../../shared/reminders';
import { downloadPdfs } from '../rows/pdfs';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';
import { recordEmails } from '../rows/emails';
import { createInvoice } from '../../shared/invoices';
import { callApi } from '../rows/callApi';

const counts = { full: 10_000, quick: 300 };
const dueDate: DateOnly = '2026-06-15';
const drainedWithinMs = 900_000;
/** E-mails of another company while it is idle. */
const idleEmails = 10;

/** The rate of the reminders of one morning, and the delay of another company's e-mail among them. */
export const reminders: Figure = {
  name: 'reminders',
  what: 'reminders that are due at one 09:00, against as many send-emails',
  async measure(bench, quick) {
    const ids = await dueInvoices(bench, counts[quick ? 'quick' : 'full']);
    const { services, seeded } = bench.installation;
    await services.perform({ companyId: seeded.companyId, actor: 'bench' }, (uow) =>
      updateCompany(uow, { reminderDays: [0, 3] }),
    );
    const other = await otherCompany(bench);
    await other.send();
    const idle: number[] = [];
    while (idle.length < idleEmails) idle.push(await other.send());

    const plain = await secondsToSend(bench, ids.length, () => recordEmails(bench, ids, ids.length));
    const reminded = await secondsToSend(bench, ids.length, () => remind(bench, dueDate));
    const beside: number[] = [];
    let isSending = true;
    const sendBeside = async (): Promise<void> => {
      while (isSending) beside.push(await other.send());
    };
    const sending = secondsToSend(bench, ids.length, () => remind(bench, addDays(dueDate, 3) as DateOnly));
    await Promise.all([sending.finally(() => (isSending = false)), sendBeside()]);
    return [
      { what: 'send-emails a second, from the first record to the last message', value: ids.length / plain },
      { what: `time of ${ids.length} reminders, against as many send-emails`, value: reminded / plain, atMost: 1 },
      {
        what: "another company's send-email among them, median, against idle",
        value: median(beside) / median(idle),
        atMost: 3,
      },
    ];
  },
};

/** Makes `count` invoices sent and due on one day, with stored PDFs. */
async function dueInvoices(bench: Bench, count: number): Promise<number[]> {
  const { services, seeded } = bench.installation;
  // The last ones: other figures pay the first.
  const ids = seeded.invoiceIds.slice(-count);
  await services.sql.run(
    "UPDATE invoices SET status = 'sent', paidAt = NULL, dueDate = ? WHERE companyId = ? AND id BETWEEN ? AND ?",
    [dueDate, seeded.companyId, ids[0] ?? 0, ids[ids.length - 1] ?? 0],
  );
  await downloadPdfs(bench, ids);
  return ids;
}

async function remind({ installation }: Bench, asOf: DateOnly): Promise<void> {
  const { services, seeded } = installation;
  const fail = (_subject: unknown, error: unknown): never => {
    throw new Error('a reminder failed', { cause: error });
  };
  const nothing = (): void => undefined;
  const observer = { created: nothing, overdue: nothing, failed: fail };
  const serve = reminderCalendar.serve({ services, asOf, wait: true, observer }, seeded.companyId);
  while ((await serve()) === 'more');
}

/**
 * Returns the seconds from the first record until the mail server has accepted all e-mails of the benchmark's company.
 */
async function secondsToSend({ installation }: Bench, count: number, record: () => Promise<void>): Promise<number> {
  const { services, seeded } = installation;
  const sent = async (): Promise<number> => {
    const [row] = await services.sql.rows<{ sent: number }>(
      "SELECT COUNT(*) AS sent FROM emails WHERE companyId = ? AND status = 'sent'",
      [seeded.companyId],
    );
    return row?.sent ?? 0;
  };
  const before = await sent();
  const began = performance.now();
  await record();
  while ((await sent()) < before + count) {
    if (performance.now() > began + drainedWithinMs) throw new Error('the e-mails were not sent in time');
    await sleep(200);
  }
  return (performance.now() - began) / 1_000;
}

/** A company that sends one e-mail at a time. `send` returns the milliseconds from its request to the response. */
async function otherCompany(bench: Bench): Promise<{ send(): Promise<number> }> {
  const { services, seeded } = bench.installation;
  const { companyId, clientId, token } = seeded.other;
  const scope = { companyId, actor: 'bench' };
  const items = [{ description: 'Work', quantity: '1', unitPrice: '100' }];
  const invoice = { clientId, items, issueDate: '2026-01-15', dueDate: '2026-02-14' };
  const { id } = await services.perform(scope, (uow) => createInvoice(uow, invoice));
  return {
    send: async () => {
      const began = performance.now();
      await callApi(bench, `/api/invoices/${id}/send-email`, { method: 'POST', token });
      return performance.now() - began;
    },
  };
}
