import { preload } from '../../../dev/installation/startInstallation';
import { addRounds, type Fault } from '../Fault';
import { createLink, downloadPdf, sendEmail } from '../operations';
import { playStrike } from '../playStrike';

export const slowClock: Fault = {
  name: 'slow-clock',
  what: 'the clock of one worker is an hour behind: first it runs alone, then beside one that is right',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const [slow, other] = world.installation.workers.map(({ machine }) => machine);
    if (slow === undefined || other === undefined) throw new Error('this needs two workers');
    const strike = { kinds: [sendEmail, createLink, downloadPdf], hit: () => Promise.resolve() };
    try {
      await other.stop();
      await slow.restart({ NODE_OPTIONS: preload('slowClock') });
      const alone = await playStrike(world, random, options, strike);
      await other.start();
      return addRounds(alone, await playStrike(world, random, options, strike));
    } finally {
      await slow.restart();
    }
  },
};
