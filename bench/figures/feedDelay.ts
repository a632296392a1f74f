import { setTimeout as sleep } from 'node:timers/promises';
import { sampleItems } from '../installation/samples';
import { callApi } from '../rows/callApi';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';

const perSecond = 300;

/** The time from the response to a create until a waiting reader has its event. */
export const feedDelay: Figure = {
  name: 'feed-delay',
  what: `an event in the feed, under ${perSecond} creates a second`,
  async measure(bench, quick) {
    const reader = await FeedReader.start(bench);
    const responded = await create(bench, perSecond * (quick ? 3 : 20));
    const delays = await reader.delaysOf(responded);
    delays.sort((a, b) => a - b);
    return [
      {
        what: 'ms until an event is in the feed, 99 % of them',
        value: delays[Math.floor(delays.length * 0.99)] ?? Infinity,
        atMost: 1_000,
      },
    ];
  },
};

/** Creates invoices at the rate. Returns the time of each response by the id of its invoice. */
async function create(bench: Bench, count: number): Promise<Map<number, number>> {
  const { clientIds } = bench.installation.seeded;
  const responded = new Map<number, number>();
  const began = performance.now();
  const requests = Array.from({ length: count }, async (_, index) => {
    await sleep(began + (index * 1_000) / perSecond - performance.now());
    const clientId = clientIds[index % clientIds.length];
    const body = { clientId, issueDate: '2026-01-15', dueDate: '2026-02-14', items: sampleItems(index) };
    const response = await callApi(bench, '/api/invoices', { method: 'POST', body, status: 201 });
    const { id } = (await response.json()) as { id: number };
    responded.set(id, performance.now());
  });
  await Promise.all(requests);
  return responded;
}

/** A consumer that waits for events. */
class FeedReader {
  private readonly seenAt = new Map<number, number>();

  private constructor(private readonly bench: Bench) {}

  static async start(bench: Bench): Promise<FeedReader> {
    const reader = new FeedReader(bench);
    const { nextAfter } = await reader.get('after=latest');
    void reader.follow(nextAfter);
    return reader;
  }

  /** Waits until all of these invoices were seen. */
  async delaysOf(responded: ReadonlyMap<number, number>): Promise<number[]> {
    const deadline = Date.now() + 30_000;
    while ([...responded.keys()].some((id) => !this.seenAt.has(id)) && Date.now() < deadline) await sleep(50);
    return [...responded].map(([id, at]) => Math.max(0, (this.seenAt.get(id) ?? Infinity) - at));
  }

  private async follow(from: number): Promise<void> {
    for (let after = from; ;) {
      const page = await this.get(`after=${after}&limit=1000&wait=5&types=invoice.created`);
      const at = performance.now();
      for (const { subject } of page.data) this.seenAt.set(subject.id, at);
      after = page.nextAfter;
      if (page.data.length === 0 && this.seenAt.size > 0) return;
    }
  }

  private async get(query: string): Promise<{ data: { subject: { id: number } }[]; nextAfter: number }> {
    return (await (await callApi(this.bench, `/api/events?${query}`)).json()) as {
      data: { subject: { id: number } }[];
      nextAfter: number;
    };
  }
}
