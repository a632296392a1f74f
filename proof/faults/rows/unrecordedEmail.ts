import { setTimeout as sleep } from 'node:timers/promises';
import { callWithRetries } from '../callWithRetries';
import { addRounds, type Fault, type Round } from '../Fault';
import { holdInvoice } from '../holdRows';
import { createInvoice, sendEmailFor } from '../operations/kinds';
import { countEffects } from '../playStrike';
import type { Random } from '../Random';
import { secondsUntilAllWorks } from '../recovery';
import type { Subject, World } from '../World';

/** The delay of the mail server's reply. The fault is made during the delay. */
const smtpDelayMs = 500;
const retryForMs = 90_000;
const cutMs = { least: 300, most: 4_000 };
const heldMs = { full: 20_000, quick: 8_000 };

export const unrecordedEmail: Fault = {
  name: 'unrecorded-email',
  what: 'between the mail server taking a message and the record of it, MySQL is cut off, then the invoice is locked',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const { smtp } = world.installation;
    smtp.proxy.delay(smtpDelayMs);
    try {
      const cut = await afterHandover(world, () => cutOff(world, random));
      const held = heldMs[options.quick ? 'quick' : 'full'];
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
  const until = Date.now() + retryForMs;
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
