import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOf } from '../installation/HttpClient';
import { patienceMs } from './Fault';
import type { World } from './World';

interface FeedPage {
  data: { id: number }[];
  nextAfter: number;
}

const retryAfterMs = 250;

/**
 * Follows the company's feed during faults as a consumer does: continues from `nextAfter`, and retries at another API.
 * `end` compares the events with MySQL.
 */
export class FeedFollower {
  private readonly read: number[] = [];
  private after = 0;
  private hasEnded = false;
  private readonly following: Promise<void>;

  constructor(private readonly world: World) {
    this.following = this.follow();
  }

  /** Waits until all events are read, and returns the problems. */
  async end(): Promise<string[]> {
    const deadline = Date.now() + patienceMs;
    let events = await this.events();
    while (Date.now() < deadline && (events.some(({ seq }) => seq === null) || this.read.length < events.length)) {
      await sleep(100);
      events = await this.events();
    }
    this.hasEnded = true;
    await this.following;
    const unnumbered = events.filter(({ seq }) => seq === null).length;
    const numbers = events.flatMap(({ seq }) => (seq === null ? [] : [seq]));
    const times = new Map<number, number>();
    for (const id of this.read) times.set(id, (times.get(id) ?? 0) + 1);
    const missed = numbers.filter((id) => !times.has(id)).length;
    const repeated = [...times.values()].filter((count) => count > 1).length;
    const isInOrder = this.read.every((id, index) => index === 0 || id > (this.read[index - 1] ?? 0));
    return [
      ...(unnumbered > 0 ? [`${unnumbered} events have no number`] : []),
      ...(missed > 0 ? [`a reader of the feed missed ${missed} of ${numbers.length} events`] : []),
      ...(repeated > 0 ? [`a reader of the feed saw ${repeated} events more than once`] : []),
      ...(isInOrder ? [] : ['a reader of the feed saw events out of order']),
    ];
  }

  private async follow(): Promise<void> {
    const { apis } = this.world.installation;
    for (let turn = 0; !this.hasEnded;) {
      const api = apis[turn % apis.length];
      if (api === undefined) throw new Error('there is no API');
      const path = `/api/events?after=${this.after}&limit=50&wait=1`;
      // An API that does not respond is part of the fault: the next request goes to another one.
      const reply = await this.world.send(api, { path, timeoutMs: 5_000 }).catch(() => null);
      if (reply?.status === 200) {
        const page = jsonOf<FeedPage>(reply);
        this.read.push(...page.data.map(({ id }) => id));
        this.after = page.nextAfter;
      } else {
        turn += 1;
        await sleep(retryAfterMs);
      }
    }
  }

  private events(): Promise<{ seq: number | null }[]> {
    const { installation, companyId } = this.world;
    return installation.services.sql.rows('SELECT seq FROM events WHERE companyId = ? ORDER BY seq', [companyId]);
  }
}
