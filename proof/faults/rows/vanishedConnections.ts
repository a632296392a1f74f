import type { Fault } from '../Fault';
import { createInvoice } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const vanishedConnections: Fault = {
  name: 'vanished-connections',
  what: "an API vanishes: killed, and MySQL is not told that its connections ended; the other API's creates wait for its locks",
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [createInvoice],
      operations: { full: 60, quick: 40 },
      firstApi: 0,
      hit: async ({ installation }) => {
        const [vanishing] = installation.apis;
        vanishing?.mysql.proxy.vanish();
        await vanishing?.machine.kill();
        return async () => vanishing?.machine.start();
      },
    }),
};
