import { serveInTurns, type CompanyTurn } from '../../../shared/schedules/serveInTurns';

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

/** A company with batches that each take so long, by a clock that only they move on. */
function company(name: string, batches: number, batchMs: number, order: string[]): CompanyTurn {
  let left = batches;
  return {
    next() {
      nowMs += batchMs;
      left -= 1;
      order.push(name);
      return Promise.resolve(left > 0);
    },
  };
}

describe('companies that are served in turns', () => {
  test('one with much to do › the others have their turn after its first', async () => {
    const order: string[] = [];
    const turns = [company('many', 1_000, 100, order), company('few', 1, 5, order), company('other', 1, 5, order)];
    await serveInTurns(turns, {});
    expect(order.slice(0, 3)).toEqual(['many', 'few', 'other']);
    expect(order).toHaveLength(1_002);
  });

  test('slow and quick batches › get the same time, not the same number', async () => {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const waiting: CompanyTurn = { next: () => new Promise((resolve) => ends.push(() => resolve(false))) };
    const turns = [company('slow', 1_000, 500, order), company('quick', 10_000, 10, order)];
    // Four companies are served at the same time: three that wait leave the others to share the fourth slot.
    const served = serveInTurns([waiting, waiting, waiting, ...turns], { longestMs: 40_000 });
    while (nowMs < 40_000) await Promise.resolve();
    for (const end of ends) end();
    await served;
    const slowMs = order.filter((name) => name === 'slow').length * 500;
    const quickMs = order.filter((name) => name === 'quick').length * 10;
    expect(Math.abs(slowMs - quickMs)).toBeLessThanOrEqual(1_000);
  });

  test('the time is over › each that has not had its turn has it first', async () => {
    const order: string[] = [];
    const turns = Array.from({ length: 10 }, (_, index) => company(String(index), 100, 100, order));
    await serveInTurns(turns, { longestMs: 1 });
    expect(new Set(order).size).toBe(10);
    expect(order.length).toBeLessThan(20);
  });

  test('one waits › the others go on meanwhile', async () => {
    const order: string[] = [];
    let end: (isMore: boolean) => void = () => undefined;
    const waiting: CompanyTurn = { next: () => new Promise((resolve) => (end = resolve)) };
    const others = ['a', 'b', 'c'].map((name) => company(name, 3, 60, order));
    const served = serveInTurns([waiting, ...others], {});
    while (order.length < 9) await Promise.resolve();
    end(false);
    await served;
  });

  test('a batch throws › nothing more is begun, and it is thrown when the others have ended', async () => {
    const order: string[] = [];
    const failing: CompanyTurn = { next: () => Promise.reject(new Error('unavailable')) };
    await expect(serveInTurns([company('a', 1_000, 1, order), failing], {})).rejects.toThrow('unavailable');
    expect(order.length).toBeLessThan(1_000);
  });
});
