import { EndpointSlots } from '../../../workers/webhooks/EndpointSlots';

const well = (companyId: number) => ({ companyId, isSuspect: false });
const failing = (companyId: number) => ({ companyId, isSuspect: true });

/** Enters without waiting for the slot. Returns what has become of it so far. */
function enter(slots: EndpointSlots, candidate: { companyId: number; isSuspect: boolean }): { granted?: boolean } {
  const state: { granted?: boolean } = {};
  void slots.enter(candidate).then((granted) => (state.granted = granted));
  return state;
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a worker', () => {
  it('are at most a quarter one company’s, also while all others are free; its next endpoint follows when one leaves', async () => {
    const slots = new EndpointSlots(8);
    expect(await Promise.all([slots.enter(well(1)), slots.enter(well(1))])).toEqual([true, true]);
    const third = enter(slots, well(1));
    await settled();
    expect(third.granted).toBeUndefined();
    // Another company waits for nothing.
    expect(await slots.enter(well(2))).toBe(true);
    slots.leave(well(1));
    await settled();
    expect(third.granted).toBe(true);
  });

  it('put an endpoint off of whose company as many wait already as may run', async () => {
    const slots = new EndpointSlots(8);
    await Promise.all([slots.enter(well(1)), slots.enter(well(1))]);
    const [third, fourth] = [enter(slots, well(1)), enter(slots, well(1))];
    expect(await slots.enter(well(1))).toBe(false);
    expect([third.granted, fourth.granted]).toEqual([undefined, undefined]);
  });

  it('are at most half of them those of endpoints that fail, of whatever companies; those that do not fail pass them', async () => {
    const slots = new EndpointSlots(8);
    expect(await Promise.all([1, 2, 3, 4].map((id) => slots.enter(failing(id))))).toEqual([true, true, true, true]);
    const fifth = enter(slots, failing(5));
    expect(await Promise.all([5, 6, 7, 8].map((id) => slots.enter(well(id))))).toEqual([true, true, true, true]);
    const ninth = enter(slots, well(9));
    await settled();
    expect([fifth.granted, ninth.granted]).toEqual([undefined, undefined]);
    slots.leave(well(5));
    await settled();
    expect([fifth.granted, ninth.granted]).toEqual([undefined, true]);
    slots.leave(failing(1));
    await settled();
    expect(fifth.granted).toBe(true);
  });

  it('are refused when the process stops, also to those that wait', async () => {
    const slots = new EndpointSlots(4);
    expect(await slots.enter(well(1))).toBe(true);
    const waiting = enter(slots, well(1));
    slots.close();
    await settled();
    expect(waiting.granted).toBe(false);
    expect(await slots.enter(well(2))).toBe(false);
  });
});
