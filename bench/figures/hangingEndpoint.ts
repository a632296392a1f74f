import { measureInTurns } from '../measuring/measureInTurns';
import { Deliveries } from '../webhooks/Deliveries';
import type { Figure } from './Figure';

const endpoints = 100;
/** More than one measurement can send to each endpoint. */
const events = 3_000;

/** What a webhook endpoint that does not respond costs the others. */
export const hangingEndpoint: Figure = {
  name: 'hanging-endpoint',
  what: `one of ${endpoints} webhook endpoints does not respond`,
  async measure({ installation }, quick) {
    const deliveries = await Deliveries.start(installation, endpoints, events);
    const side = (isHanging: boolean) => async (seconds: number) => {
      await deliveries.hang(isHanging);
      return deliveries.measure(seconds);
    };
    const turns = quick ? { rounds: 2, seconds: 3 } : { rounds: 7, seconds: 6 };
    const { ratio } = await measureInTurns({ project: side(true), limit: side(false) }, turns);
    await deliveries.stop();
    // At least 0.95 of the rate.
    return [{ what: 'time of an event against that without it', value: 1 / (ratio ?? 0), atMost: 1.053 }];
  },
};
