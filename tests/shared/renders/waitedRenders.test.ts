import { renderFairness } from '../../../config/queues';
import { Overloaded } from '../../../shared/engine/errors';
import { WaitedRenders } from '../../../shared/renders/WaitedRenders';

const stays = (): AbortSignal => new AbortController().signal;

describe('the renders that a process waits for', () => {
  it('count a render for which several requests wait once, until the last of them ends', async () => {
    const waited = new WaitedRenders();
    let end: () => void = () => undefined;
    const first = waited.hold(1, 'a', stays(), () => new Promise<void>((resolve) => (end = resolve)));
    await waited.hold(1, 'a', stays(), () => Promise.resolve(expect(waited.callersOf(1)).toBe(2)));
    expect(waited.callersOf(1)).toBe(1);
    end();
    await first;
    expect(waited.isHeld(1, 'a')).toBe(false);
    expect(waited.callersOf(1)).toBe(0);
  });

  it('let callers that have left end, but for the last one', async () => {
    const waited = new WaitedRenders();
    const callers = [1, 2, 3].map(() => new AbortController());
    const leaving = callers.map(({ signal }) =>
      waited.hold(1, 'a', signal, (leave) => new Promise((end) => leave.addEventListener('abort', end))),
    );
    for (const each of callers) each.abort();
    await Promise.all(leaving.slice(0, 2));
    expect(waited.callersOf(1)).toBe(1);
  });

  it('let one of the callers of a render look for it, until some time has passed', async () => {
    const waited = new WaitedRenders();
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    let ending: object | null = null;
    expect(waited.mayLook(1, 'a', ending)).toBe(false);
    await waited.hold(1, 'a', stays(), () => {
      const looks = (): boolean[] => [waited.mayLook(1, 'a', ending), waited.mayLook(1, 'a', ending)];
      expect(looks()).toEqual([true, false]);
      now.mockReturnValue(2_500);
      expect(looks()).toEqual([true, false]);
      // Announced: it may have to be queued again.
      ending = {};
      expect(looks()).toEqual([true, false]);
      return Promise.resolve();
    });
  });

  it('are bounded: one more of a company is refused, and no other company’s', async () => {
    const waited = new WaitedRenders();
    for (let job = 0; job < renderFairness.waitingOfCompany; job += 1) {
      void waited.hold(1, `job-${job}`, stays(), () => new Promise(() => undefined));
    }
    await expect(waited.hold(1, 'one more', stays(), () => Promise.resolve())).rejects.toThrow(Overloaded);
    await expect(waited.hold(1, 'job-0', stays(), () => Promise.resolve('shared'))).resolves.toBe('shared');
    await expect(waited.hold(2, 'another company', stays(), () => Promise.resolve('free'))).resolves.toBe('free');
  });
});
