import { FairSlots } from '../../../../shared/engine/fair';
import { eventually } from '../../../support/eventually';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Slots on a clock that the test moves, as a worker has them for webhook endpoints. */
function open({ slots = 200, places = 250, share = 1 / 8 } = {}) {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const fair = new FairSlots({ what: 'things', slots, places, share });
  const held = new Map<number, (() => void)[]>();
  const refused: number[] = [];
  /** Enters without waiting for the slot. */
  const enter = async (company: number): Promise<void> => {
    void fair.enter(company).then((leave) => {
      if (leave === null) refused.push(company);
      else held.set(company, [...(held.get(company) ?? []), leave]);
    });
    await settled();
  };
  const leave = async (company: number): Promise<void> => {
    held.get(company)?.shift()?.();
    await settled();
  };
  const countOf = (company: number): number => held.get(company)?.length ?? 0;
  return { fair, refused, enter, leave, countOf, moveOn: (ms: number) => (now += ms) };
}

const victim = 0;

describe('companies with 50 endpoints each that take 14 s', () => {
  it.each([1, 4, 20, 60])('%d of them › another company starts immediately', async (companies) => {
    const slots = open();
    const attackers = range(companies).map((company) => company + 1);
    for (let endpoint = 0; endpoint < 50; endpoint++) for (const company of attackers) await slots.enter(company);
    // The work of all of them ends, and the next begins, for two minutes.
    for (let round = 0; round < 10; round++) {
      slots.moveOn(14_000);
      await slots.enter(victim);
      expect(slots.countOf(victim)).toBe(1);
      await slots.leave(victim);
      for (const company of attackers) {
        const before = slots.countOf(company);
        for (let one = 0; one < before; one++) await slots.leave(company);
        for (let one = 0; one < before; one++) await slots.enter(company);
      }
    }
    slots.fair.close();
  });

  it('one after the other › each takes a ninth of what is free, and the twenty-first starts immediately', async () => {
    const slots = open();
    for (const company of range(20)) for (let endpoint = 0; endpoint < 50; endpoint++) await slots.enter(company + 1);
    expect([slots.countOf(1), slots.countOf(2), slots.countOf(20)]).toEqual([23, 20, 2]);
    await slots.enter(victim);
    expect(slots.countOf(victim)).toBe(1);
    slots.fair.close();
  });

  it('leave room among those that wait › another company is never refused', async () => {
    const slots = open({ slots: 16, places: 48 });
    for (const company of range(8)) for (let endpoint = 0; endpoint < 50; endpoint++) await slots.enter(company + 1);
    expect(slots.refused.length).toBeGreaterThan(0);
    await slots.enter(victim);
    expect(slots.refused).not.toContain(victim);
    slots.fair.close();
  });
});

describe('a free slot', () => {
  it('is next for the company that held slots for the least time, however much others have waiting', async () => {
    const slots = open({ slots: 1, places: 50, share: 1 });
    for (const company of [1, 1, 1, 2]) await slots.enter(company);
    slots.moveOn(1_000);
    await slots.leave(1);
    expect([slots.countOf(1), slots.countOf(2)]).toEqual([0, 1]);
    // A tenth of the time of the other.
    slots.moveOn(100);
    for (const company of [2, 2]) await slots.enter(company);
    for (const started of [1, 2]) {
      await slots.leave(2);
      expect([slots.countOf(1), slots.countOf(2)]).toEqual([0, 1]);
      slots.moveOn(started * 100);
    }
    await slots.leave(2);
    expect(slots.countOf(1)).toBe(1);
    slots.fair.close();
  });

  it('goes by turns among companies that used the same, and in order within a company', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const fair = new FairSlots({ what: 'things', slots: 1, places: 50, share: 1 });
    const order: string[] = [];
    const run = (company: number, name: string): Promise<void> =>
      fair.run(company, async () => {
        order.push(name);
        await settled();
      });
    await Promise.all([run(1, '1a'), run(1, '1b'), run(1, '1c'), run(2, '2a'), run(3, '3a')]);
    expect(order).toEqual(['1a', '1b', '2a', '3a', '1c']);
  });

  it('is given to a company that waits once its use has shrunk, also if nobody leaves', async () => {
    const slots = open({ slots: 8, places: 50 });
    // Two companies that held a slot each for long.
    for (const company of [1, 2]) await slots.enter(company);
    slots.moveOn(600_000);
    await slots.leave(1);
    await slots.enter(1);
    expect(slots.countOf(1)).toBe(0);
    slots.moveOn(60_000);
    await eventually(() => slots.countOf(1) === 1);
    slots.fair.close();
  });
});

describe('work', () => {
  it('is refused beyond what may wait, of one company before all, and taken when there is room again', async () => {
    const fair = new FairSlots({ what: 'logos', slots: 1, places: 5, share: 1 });
    let end: () => void = () => undefined;
    const wait = (): Promise<void> => new Promise((resolve) => (end = resolve));
    const running = fair.run(1, wait);
    const waiting = [fair.run(1, settled), fair.run(1, settled)];
    await expect(fair.run(1, settled)).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    waiting.push(fair.run(2, settled));
    await settled();
    end();
    await Promise.all([running, ...waiting]);
    await fair.run(1, settled);
  });

  it('that fails gives its slot back', async () => {
    const fair = new FairSlots({ what: 'things', slots: 1, places: 5, share: 1 });
    await expect(fair.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await fair.run(2, settled);
  });

  it('that waits is refused when the process stops, and all that follows', async () => {
    const slots = open({ slots: 1, places: 50, share: 1 });
    await slots.enter(1);
    await slots.enter(2);
    slots.fair.close();
    await settled();
    await slots.enter(3);
    expect(slots.refused).toEqual([2, 3]);
  });
});
