import type { Fault } from '../Fault';
import { createLink, endLink, replaceLink } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const killedStripe: Fault = {
  name: 'killed-stripe',
  what: 'kill -9 of a worker while links of Stripe are made, replaced and ended: each invoice keeps at most one',
  recoversWithin: 30,
  play: async (world, random, options) => {
    await world.choose('stripe');
    return playStrike(world, random, options, {
      kinds: [createLink, replaceLink, endLink],
      hit: async ({ installation }) => {
        const { machine } = random.oneOf(installation.workers);
        await machine.kill();
        return () => machine.start();
      },
    });
  },
};
