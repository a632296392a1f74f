import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { createInvoice, createLink, sendEmail } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const killedMysql: Fault = {
  name: 'killed-mysql',
  what: 'kill -9 of MySQL, which comes back up to two seconds later',
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [createInvoice, sendEmail, createLink],
      hit: async ({ installation: { mysql } }) => {
        await mysql.kill();
        await sleep(random.between(0, 2_000));
        await mysql.start();
      },
    }),
};
