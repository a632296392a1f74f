import { setTimeout as sleep } from 'node:timers/promises';
import { updateCompany } from '../../../shared/companies';
import { dayIn, type DateOnly } from '../../../shared/dates/dates';
import { createInvoice, type InvoiceInput } from '../../../shared/invoices';
import { newInvoice } from '../../isolation/newInvoice';
import type { Fault, Round } from '../Fault';
import type { Random } from '../Random';
import { sendEmail } from '../operations/kinds';
import { secondsUntilAllWorks } from '../recovery';
import type { World } from '../World';

const reminders = { full: 1_000, quick: 40 };
const kills = { full: 12, quick: 4 };
/** The scan by the clock comes every 30 s. */
const begunWithinMs = 60_000;
const endedWithinMs = { full: 600_000, quick: 120_000 };

export const killedReminders: Fault = {
  name: 'killed-reminders',
  what: 'kill -9 of one worker after the other while reminders of one day are recorded and sent',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: async (world, random, options) => {
    const size = options.quick ? 'quick' : 'full';
    const addresses = await seedDue(world, reminders[size]);
    await until(async () => (await states(world)).length > 0, begunWithinMs);
    for (let kill = 0; kill < kills[size]; kill++) await killOne(world, random);
    const recoverySeconds = await secondsUntilAllWorks(world, [sendEmail]);
    const ended = async (): Promise<boolean> => {
      const statuses = await states(world);
      return statuses.length === addresses.length && !statuses.some((status) => unfinished.includes(status));
    };
    await until(ended, endedWithinMs[size]);
    return { ...(await count(world, addresses)), recoverySeconds, problems: [] };
  },
};

const unfinished = ['queued', 'sending'];

/** Reminders go out from 09:00 of the company's day: it lives where that is past, and midnight far. */
const timezoneAt = (now: Date): string => (now.getUTCHours() >= 9 && now.getUTCHours() < 21 ? 'UTC' : 'Pacific/Tarawa'); // 12 hours ahead, all year

/** Creates sent invoices whose reminder is due today. */
async function seedDue(world: World, count: number): Promise<string[]> {
  const { services } = world.installation;
  const scope = { companyId: world.companyId, actor: 'proof' };
  const timezone = timezoneAt(services.clock.now());
  const dueDate: DateOnly = dayIn(timezone, services.clock.now());
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

/** Kills a worker at a random moment, and starts it again. */
async function killOne({ installation }: World, random: Random): Promise<void> {
  await sleep(random.between(50, 1_500));
  const { machine } = random.oneOf(installation.workers);
  await machine.kill();
  await machine.start();
}

/** The status of each reminder's e-mail. */
async function states({ installation, companyId }: World): Promise<string[]> {
  const rows = await installation.services.sql.rows<{ status: string }>(
    `SELECT e.status FROM reminders r JOIN emails e ON e.companyId = r.companyId AND e.id = r.emailId
      WHERE r.companyId = ?`,
    [companyId],
  );
  return rows.map(({ status }) => status);
}

/** Counts messages: one for each address, unless its e-mail is reported as uncertain. */
async function count(world: World, addresses: readonly string[]): Promise<Omit<Round, 'recoverySeconds' | 'problems'>> {
  const { installation, companyId } = world;
  const rows = await installation.services.sql.rows<{ recipient: string }>(
    "SELECT recipient FROM emails WHERE companyId = ? AND status = 'uncertain'",
    [companyId],
  );
  const uncertain = new Set(rows.map(({ recipient }) => recipient));
  const sums = { accepted: addresses.length, expected: 0, found: 0, lost: 0, doubled: 0, uncertain: 0 };
  for (const address of addresses) {
    const messages = await world.messagesTo(address);
    if (messages > 1) sums.doubled += 1;
    if (uncertain.has(address)) {
      sums.uncertain += 1;
      continue;
    }
    sums.expected += 1;
    if (messages > 0) sums.found += 1;
    else sums.lost += 1;
  }
  return sums;
}

async function until(condition: () => Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition()) && Date.now() < deadline) await sleep(200);
}
