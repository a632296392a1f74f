import type { Fault } from '../Fault';
import { createInvoice, sendEmail } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const killedApi: Fault = {
  name: 'killed-api',
  what: 'kill -9 of an API process during creates and send-emails',
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [createInvoice, sendEmail],
      // So close together that the kill hits some after their commit and before their response.
      operations: { full: 60, quick: 40 },
      spreadMs: { full: 400, quick: 200 },
      hit: async ({ installation }) => {
        const { machine } = random.oneOf(installation.apis);
        await machine.kill();
        return () => machine.start();
      },
    }),
};
