import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { createLink, downloadPdf, sendEmail } from '../operations/kinds';
import { playStrike } from '../playStrike';

export const emptiedRedis: Fault = {
  name: 'emptied-redis',
  what: 'kill -9 of Redis, which comes back empty up to two seconds later',
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [sendEmail, createLink, downloadPdf],
      hit: async ({ installation: { redis, dataDir } }) => {
        await redis.kill();
        await sleep(random.between(0, 2_000));
        const folder = join(dataDir, 'redis');
        for (const name of readdirSync(folder)) {
          if (/^(appendonly|dump)/.test(name)) rmSync(join(folder, name), { recursive: true });
        }
        await redis.start();
      },
    }),
};
