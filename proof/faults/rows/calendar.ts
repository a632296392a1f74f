import { newInvoice } from '../../installation/HttpClient';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '../../command/runProof';
import { sendEmail } from '../operations';
import { type Fault, noCounts, type Round } from '../Fault';
import type { Random } from '../Random';
import { secondsUntilAllWorks } from '../calls';
import { waitUntil } from '../../installation/waiting';
import { timezoneAt, type World } from '../World';
import { updateCompany } from '../../../shared/companies';
import { addDays, type DateOnly, dayIn } from '../../../shared/dates/dates';
import { createInvoice, type InvoiceInput, updateInvoice } from '../../../shared/invoices';
import { toSqlTime } from '../../../shared/engine/db';
import { dueAtOf } from '../../../shared/recurrence';

/** E-mails of the calendar. */
export interface CalendarEmails {
  /** Number of addresses. */
  readonly addresses: { readonly full: number; readonly quick: number };
  /** Messages for each address. */
  readonly each: number;
  /** Makes them due. Returns the addresses. */
  readonly seed: (world: World, addresses: number) => Promise<string[]>;
  /** SQL: whether an e-mail `e` is one of them. */
  readonly are: string;
  /** Returns other problems at the end. */
  readonly check?: (world: World) => Promise<string[]>;
}

const kills = { full: 12, quick: 4 };
/** The scan by the clock comes every 30 s. */
const begunWithinMs = 60_000;
const endedWithinMs = { full: 600_000, quick: 120_000 };
const unfinished = ['queued', 'sending'];

/** Kills one worker after the other while the calendar records and sends e-mails, and counts the messages. */
async function playCalendar(
  world: World,
  random: Random,
  options: Options,
  { addresses: counts, each, seed, are, check }: CalendarEmails,
): Promise<Round> {
  const size = options.quick ? 'quick' : 'full';
  const addresses = await seed(world, counts[size]);
  if (options.quick) await requestScan(world);
  await waitUntil(async () => (await emailsOf(world, are)).length > 0, begunWithinMs);
  for (let kill = 0; kill < kills[size]; kill++) await killOne(world, random);
  const recoverySeconds = await secondsUntilAllWorks(world, [sendEmail]);
  const ended = async (): Promise<boolean> => {
    const emails = await emailsOf(world, are);
    return emails.length === each * addresses.length && !emails.some(({ status }) => unfinished.includes(status));
  };
  await waitUntil(ended, endedWithinMs[size]);
  const uncertain = (await emailsOf(world, are)).filter(({ status }) => status === 'uncertain');
  const sums = { ...noCounts(), accepted: each * addresses.length };
  for (const address of addresses) {
    const subjects = await world.subjectsTo(address);
    const different = new Set(subjects).size;
    const unknown = uncertain.filter(({ recipient }) => recipient === address).length;
    const found = Math.min(different, each - unknown);
    sums.expected += each - unknown;
    sums.found += found;
    sums.lost += each - unknown - found;
    sums.doubled += subjects.length - different;
    sums.uncertain += unknown;
  }
  return { ...sums, recoverySeconds, problems: (await check?.(world)) ?? [] };
}

/** Requests a scan before the one by the clock, as a worker does that starts. */
async function requestScan({ installation: { services } }: World): Promise<void> {
  await services.queues.add({ queue: 'schedule', name: 'scan', jobId: `scan-proof-${Date.now()}`, data: {} });
}

/** Kills a worker at a random time, and starts it again. */
async function killOne({ installation }: World, random: Random): Promise<void> {
  await sleep(random.between(50, 1_500));
  const { machine } = random.oneOf(installation.workers);
  await machine.kill();
  await machine.start();
}

function emailsOf(
  { installation, companyId }: World,
  are: string,
): Promise<{ status: string; recipient: string | null }[]> {
  const text = `SELECT e.status, e.recipient FROM emails e WHERE e.companyId = ? AND ${are}`;
  return installation.services.sql.rows(text, [companyId]);
}

export const killedReminders: Fault = {
  name: 'killed-reminders',
  what: 'kill -9 of one worker after the other while reminders of one day are recorded and sent',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: (world, random, options) =>
    playCalendar(world, random, options, {
      addresses: { full: 1_000, quick: 40 },
      each: 1,
      seed: seedReminders,
      are: "e.kind = 'reminder'",
    }),
};

/** Creates sent invoices whose reminder is due today. */
async function seedReminders(world: World, count: number): Promise<string[]> {
  const { services } = world.installation;
  const scope = { companyId: world.companyId, actor: 'proof' };
  const timezone = timezoneAt(services.clock.now());
  const dueDate = dayIn(timezone, services.clock.now());
  const addresses: string[] = [];
  for (let index = 0; index < count; index++) {
    const { clientId, email } = await world.subject();
    const body = { ...(newInvoice(clientId) as InvoiceInput), issueDate: dueDate, dueDate, status: 'sent' as const };
    await services.perform(scope, (uow) => createInvoice(uow, body));
    addresses.push(email);
  }
  await services.perform(scope, (uow) => updateCompany(uow, { timezone, reminderDays: [0] }));
  return addresses;
}

/** Due dates of each series: today and the missed ones before. */
const dates = 3;

export const killedSeries: Fault = {
  name: 'killed-series',
  what: 'kill -9 of one worker after the other while invoices of series are created and e-mailed on their days',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: (world, random, options) =>
    playCalendar(world, random, options, {
      addresses: { full: 400, quick: 20 },
      each: dates,
      seed: seedSeries,
      are: 'e.invoiceId IN (SELECT i.id FROM invoices i WHERE i.companyId = e.companyId AND i.seriesId IS NOT NULL)',
      check: wrongDates,
    }),
};

/** Creates daily series that end today and have missed all dates before. */
async function seedSeries(world: World, count: number): Promise<string[]> {
  const { services } = world.installation;
  const { companyId } = world;
  const scope = { companyId, actor: 'proof' };
  const timezone = timezoneAt(services.clock.now());
  const today = dayIn(timezone, services.clock.now());
  await services.perform(scope, (uow) => updateCompany(uow, { timezone }));
  const addresses: string[] = [];
  const tomorrow = addDays(today, 1) as DateOnly;
  for (let index = 0; index < count; index++) {
    const { invoiceId, email } = await world.subject();
    const series = { issueDate: today, dueDate: tomorrow, recurring: 'daily', autoSend: true } as const;
    await services.perform(scope, (uow) => updateInvoice(uow, invoiceId, series));
    addresses.push(email);
  }
  const first = addDays(today, 1 - dates) as DateOnly;
  await services.sql.run(
    `UPDATE invoices SET nextDueDate = ?, anchorDate = ?, recurringSince = ?, endsOn = ?, dueAt = ?
      WHERE companyId = ? AND recurring = 'daily'`,
    [first, first, first, today, toSqlTime(dueAtOf(first, timezone)), companyId],
  );
  return addresses;
}

/** Reports series that do not have each date once, and those that have not ended. */
async function wrongDates({ installation, companyId }: World): Promise<string[]> {
  const wrong = await installation.services.sql.rows<{ id: number; made: number; days: number }>(
    `SELECT s.id, COUNT(o.id) AS made, COUNT(DISTINCT o.issueDate) AS days FROM invoices s
       LEFT JOIN invoices o ON o.companyId = s.companyId AND o.seriesId = s.id
      WHERE s.companyId = ? AND s.recurring = 'daily' GROUP BY s.id, s.dueAt
     HAVING made <> ? OR days <> ? OR s.dueAt IS NOT NULL`,
    [companyId, dates, dates],
  );
  return wrong.map(
    ({ id, made, days }) => `series ${id} has ${made} invoices of ${days} days, and should have ${dates}`,
  );
}
