import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import type { Subject, World } from '../World';
import { addRounds, type Fault, patienceMs, type Round } from '../Fault';
import { createInvoice, payLink, sendEmailFor } from '../operations';
import { waitUntil } from '../../installation/waiting';
import { countEffects, playStrike } from '../playStrike';
import { callWithRetries, secondsUntilAllWorks } from '../calls';
import type { Random } from '../Random';

/**
 * Locks an invoice's row, as a stalled transaction of another process would. Resolves with a function that releases it.
 */
function holdInvoice(world: World, invoiceId: number): Promise<() => Promise<void>> {
  return holdRows(world, 'SELECT id FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', [invoiceId]);
}

/** Locks the company's number sequences: creates of invoices wait while they hold their own locks. */
function holdSequences(world: World): Promise<() => Promise<void>> {
  return holdRows(world, 'SELECT nextValue FROM number_sequences WHERE companyId = ? FOR UPDATE', []);
}

async function holdRows(
  { installation, companyId }: World,
  lock: string,
  values: readonly number[],
): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: `${installation.mysql.url}/invoicing` });
  await connection.query('START TRANSACTION');
  await connection.query(lock, [companyId, ...values]);
  return async () => {
    await connection.query('ROLLBACK');
    await connection.end();
  };
}

/** Longer than one attempt of the service: a few times the lock time-out, which is a fifth of DATABASE_TIMEOUT_MS. */
const heldMs = { full: 42_000, quick: 12_000 };
const recordedWithinMs = 60_000;

export const lockedInvoice: Fault = {
  name: 'locked-invoice',
  what: 'a row lock is held for 42 seconds (with --quick 12) on an invoice whose payment link is paid',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const { invoiceId } = await world.subject();
    const held = heldMs[options.quick ? 'quick' : 'full'];
    const { url } = await payLink.prepare(world, invoiceId);
    const release = await holdInvoice(world, invoiceId);
    await sleep(random.between(0, 500));
    await payLink.pay(url);
    await sleep(held);
    await release();
    const released = Date.now();
    const paid = await waitUntil(() => payLink.isPaid(world, invoiceId), recordedWithinMs);
    const payments = await payLink.payments(world, invoiceId);
    return {
      accepted: 1,
      expected: 1,
      found: paid ? 1 : 0,
      lost: paid ? 0 : 1,
      doubled: payments > 1 ? 1 : 0,
      uncertain: 0,
      recoverySeconds: paid ? (Date.now() - released) / 1000 : Infinity,
      problems: [],
    };
  },
};

export const vanishedConnections: Fault = {
  name: 'vanished-connections',
  what: "an API vanishes: killed, and MySQL does not notice that its connections ended; the other API's creates wait for its locks",
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      // The first invoice makes the sequence.
      prepare: async () => void (await world.subject()),
      kinds: [createInvoice],
      operations: { full: 60, quick: 40 },
      firstApi: 0,
      hit: async () => {
        const [vanishing] = world.installation.apis;
        const release = await holdSequences(world);
        await untilTransactionsWait(world);
        vanishing?.mysql.proxy.vanish();
        await vanishing?.machine.kill();
        // MySQL may grant the lock on the sequence to a transaction of the killed process.
        await release();
        return async () => vanishing?.machine.start();
      },
    }),
};

/** InnoDB caches this view: reads less than 100 ms apart return the same rows. */
const lookEveryMs = 150;

async function untilTransactionsWait({ installation }: World): Promise<void> {
  const waiting = "SELECT COUNT(*) AS count FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
  for (let count = 0; count === 0; await sleep(lookEveryMs)) {
    count = Number((await installation.services.sql.rows<{ count: number }>(waiting))[0]?.count);
  }
}

/** The delay of the mail server's reply. The fault is made during the delay. */
const smtpDelayMs = 500;
const cutMs = { least: 300, most: 4_000 };
const emailLockedMs = { full: 20_000, quick: 8_000 };

export const unrecordedEmail: Fault = {
  name: 'unrecorded-email',
  what: 'between the mail server taking a message and the record of it, MySQL is cut off, then the invoice is locked',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const { smtp } = world.installation;
    smtp.proxy.delay(smtpDelayMs);
    try {
      const cut = await afterHandover(world, () => cutOff(world, random));
      const held = emailLockedMs[options.quick ? 'quick' : 'full'];
      return addRounds(cut, await afterHandover(world, ({ invoiceId }) => lock(world, invoiceId, held)));
    } finally {
      smtp.proxy.delay(0);
    }
  },
};

/** Sends an e-mail. The fault begins when the mail server has the message and the worker does not have the reply yet. */
async function afterHandover(world: World, hit: (subject: Subject) => Promise<void>): Promise<Round> {
  const subject = await world.subject();
  const operation = sendEmailFor(world, subject);
  const until = Date.now() + patienceMs;
  const calling = callWithRetries(world, operation, 0, () => until);
  while ((await world.messagesTo(subject.email)) === 0 && Date.now() < until) await sleep(10);
  await hit(subject);
  const recoverySeconds = await secondsUntilAllWorks(world, [createInvoice]);
  return { ...(await countEffects(world, [await calling])), recoverySeconds, problems: [] };
}

async function cutOff({ installation: { workers } }: World, random: Random): Promise<void> {
  workers.forEach(({ mysql }) => mysql.proxy.cut());
  await sleep(random.between(cutMs.least, cutMs.most));
  workers.forEach(({ mysql }) => mysql.proxy.restore());
}

async function lock(world: World, invoiceId: number, ms: number): Promise<void> {
  const release = await holdInvoice(world, invoiceId);
  await sleep(ms);
  await release();
}
