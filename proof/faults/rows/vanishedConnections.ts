import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { holdSequences } from '../holdRows';
import { createInvoice } from '../operations/kinds';
import { playStrike } from '../playStrike';
import type { World } from '../World';

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
