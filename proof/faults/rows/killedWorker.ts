import type { Fault } from '../Fault';
import { createLink, downloadPdf, sendEmail } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const killedWorker: Fault = {
  name: 'killed-worker',
  what: 'kill -9 of a worker during e-mails, payment links and PDFs',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [sendEmail, createLink, downloadPdf],
      hit: async ({ installation }) => {
        const { machine } = random.oneOf(installation.workers);
        await machine.kill();
        return () => machine.start();
      },
    }),
};
