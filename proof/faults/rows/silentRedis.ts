import type { Fault } from '../Fault';
import { createLink, downloadPdf, sendEmail } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const silentRedis: Fault = {
  name: 'silent-redis',
  what: 'every connection to Redis goes silent without an end; new ones work',
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [sendEmail, createLink, downloadPdf],
      hit: ({ processes }) => {
        for (const { redis } of processes) redis.proxy.vanish();
        return Promise.resolve();
      },
    }),
};
