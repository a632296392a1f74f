import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '../command/options';
import { sendEmail } from './operations/kinds';
import { noCounts } from './Counts';
import type { Round } from './Fault';
import type { Random } from './Random';
import { secondsUntilAllWorks } from './recovery';
import { waitUntil } from './waitUntil';
import type { World } from './World';

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
export async function playCalendar(
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
