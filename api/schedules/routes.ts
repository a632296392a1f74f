import { Type } from '@sinclair/typebox';
import { LAST_DAY, readDate } from '../../shared/dates/dates';
import { TooManyRequests } from '../../shared/engine/errors';
import { day, errorCode, named, orNull, recordId, requestBody, responseBody } from '../../shared/engine/schemas';
import { reachSandboxDay, runSandbox } from '../../shared/schedules';
import { tooManyRequests } from '../http/middleware/rateLimit';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const count = Type.Integer({ minimum: 0 });
const list = (fields: Parameters<typeof responseBody>[0]) => ({ type: 'array', items: responseBody(fields) });
const created = named(
  'CreatedOccurrences',
  responseBody({
    created: count,
    series: list({ companyId: recordId, seriesId: recordId, dates: { type: 'array', items: day } }),
  }),
);

/** The report that the command line also prints. */
const report = named(
  'SchedulesReport',
  responseBody({
    asOf: {
      ...day,
      description: 'The day that was reached: an earlier one if something failed or there was very much to do.',
    },
    dryRun: { type: 'boolean' },
    expenses: created,
    invoices: created,
    overdue: responseBody({ marked: count, invoices: list({ companyId: recordId, invoiceId: recordId }) }),
    reminders: responseBody({
      requested: count,
      skipped: count,
      invoices: list({ companyId: recordId, invoiceId: recordId, skipped: orNull({ type: 'string' }) }),
    }),
    failed: list({
      kind: { type: 'string', enum: ['expense', 'invoice', 'overdue', 'reminders'] },
      companyId: recordId,
      id: { ...orNull(recordId), description: 'Of the series; null for the rest of the company.' },
      code: errorCode,
      message: { type: 'string' },
    }),
  }),
);

/** Companies for which a call runs in this process. A call may take most of a minute. */
const running = new Set<number>();

/** @throws {TooManyRequests} `run_in_progress` */
async function runAlone<T>(companyId: number, work: () => Promise<T>): Promise<T> {
  if (running.has(companyId)) {
    throw new TooManyRequests('run_in_progress', 'another run of this company is in progress', 5);
  }
  running.add(companyId);
  return work().finally(() => running.delete(companyId));
}

export const scheduleRoutes: Route[] = [
  route<{ asOf: string }>({
    operationId: 'runSchedules',
    method: 'POST',
    path: '/api/schedules/run',
    scope: 'admin',
    tag: 'Company',
    summary: 'In a sandbox: do what the calendar will have done by the end of a day',
    body: requestBody({ asOf: day }, { required: ['asOf'] }),
    example: { body: { asOf: '2027-04-30' } },
    success: { status: 200, description: 'What was done', schema: report },
    failures: {
      409: '`not_a_sandbox`, `clock_backwards`.',
      429: '`run_in_progress`; `rate_limited`: e-mails of the company went to too many recipients in the last 24 hours.',
    },
    handle: async (call) => {
      const { services, companyId, requestId, body, turn } = call;
      // E-mails count as those of send-email do: one call may send those of a year. After each batch the call waits for another slot: all
      // batches in one slot would hold it for most of a minute.
      const useUp = (emails: number) => turn.aside(async () => services.recipients?.use(companyId, emails));
      const used = await useUp(0);
      if (used?.remainingPoints === 0) throw tooManyRequests(used.msBeforeNext, 'recipients of e-mails');
      const pause = async (emails: number): Promise<boolean> => (await useUp(emails))?.remainingPoints !== 0;
      const { reached, report: done } = await runAlone(companyId, () =>
        runSandbox(services, { companyId, requestId }, readDate(body.asOf) ?? LAST_DAY, pause),
      );
      return call.inUnitOfWork(async (uow) => {
        await reachSandboxDay(uow, reached);
        return ok({ asOf: reached, dryRun: false, ...done.toJSON() });
      });
    },
  }),
];
