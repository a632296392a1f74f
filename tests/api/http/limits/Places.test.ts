import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Pace } from '../../../../api/http/limits/Pace';
import { Places, type Place, type PlacesOptions } from '../../../../api/http/limits/Places';
import { Presence } from '../../../../api/http/limits/Presence';

const options = { places: 2, placesAmongOthers: 2, renderPace: new Pace(1, 1), maxWaiting: 3, maxWaitMs: 60_000 };
const placesWith = (given: PlacesOptions) => new Places(given, new Presence());
const client = () => new EventEmitter();

/** A request that runs until it is told to end. */
function request(places: Places, companyId = 1, response = client()) {
  let place: Place | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const done = places.within(companyId, response, async (given) => {
    place = given;
    await ended;
    return 'done';
  });
  done.catch(() => undefined);
  return { done, end, response, place: () => place, isRunning: () => place !== undefined };
}
const codeOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'succeeded',
    (error: { status: number; code: string }) => [error.status, error.code],
  );

test('as many requests as there are places run; the others follow in their order', async () => {
  const places = placesWith(options);
  const all = [1, 2, 3, 4].map(() => request(places));
  await setImmediate();
  const running = (): boolean[] => all.map((one) => one.isRunning());
  expect(running()).toEqual([true, true, false, false]);
  all[1]?.end();
  await expect(all[1]?.done).resolves.toBe('done');
  await setImmediate();
  expect(running()).toEqual([true, true, true, false]);
  for (const one of all) one.end();
  await expect(Promise.all(all.map(({ done }) => done))).resolves.toHaveLength(4);
});

test('another company › has places of its own', async () => {
  const places = placesWith(options);
  const theirs = [1, 2, 3].map(() => request(places, 1));
  const own = request(places, 2);
  await setImmediate();
  expect([theirs[2]?.isRunning(), own.isRunning()]).toEqual([false, true]);
});

describe('with fewer places among others', () => {
  let places: Places;
  const run = (companyId: number) => request(places, companyId);
  const running = (all: readonly { isRunning: () => boolean }[]): number => all.filter((one) => one.isRunning()).length;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    places = placesWith({ ...options, places: 3, placesAmongOthers: 1 });
  });
  afterEach(() => jest.useRealTimers());

  test('a company that is alone › has all places', async () => {
    const all = [1, 2, 3, 4].map(() => run(1));
    await setImmediate();
    expect(running(all)).toBe(3);
  });

  test('a company that is not alone › has fewer, once what ran before has ended', async () => {
    const early = [1, 2, 3].map(() => run(1));
    await setImmediate();
    const other = run(2);
    const late = [1, 2, 3].map(() => run(1));
    for (const one of early.slice(0, 2)) one.end();
    await setImmediate();
    expect([running(early), running(late), running([other])]).toEqual([3, 0, 1]);
    early[2]?.end();
    await setImmediate();
    expect(running(late)).toBe(1);
  });

  test('a company whose neighbour has been silent for a second › has all places again', async () => {
    run(2);
    const all = [1, 2, 3].map(() => run(1));
    await setImmediate();
    expect(running(all)).toBe(1);
    jest.advanceTimersByTime(1_001);
    all[0]?.end();
    await setImmediate();
    expect(running(all)).toBe(3);
  });
});

test('a render › waits for its pace only where the company is not alone', async () => {
  const renderPace = new Pace(1, 1);
  const wait = jest.spyOn(renderPace, 'wait').mockResolvedValue();
  const places = placesWith({ ...options, renderPace });
  await places.within(1, client(), (place) => place.turnToRender());
  expect(wait).not.toHaveBeenCalled();
  await places.within(2, client(), (place) => place.turnToRender());
  expect(wait).toHaveBeenCalledWith(2, 1);
});

test('a request that fails › gives its place back', async () => {
  const places = placesWith({ ...options, places: 1, placesAmongOthers: 1 });
  await expect(places.within(1, client(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(places.within(1, client(), () => Promise.resolve('yes'))).resolves.toBe('yes');
});

test('a request that waits aside › lets others run, and comes back before those in line', async () => {
  const places = placesWith({ ...options, places: 1, placesAmongOthers: 1 });
  const first = request(places);
  await setImmediate();
  let wake = (): void => undefined;
  const back = first.place()?.aside(() => new Promise<void>((resolve) => (wake = resolve)));
  const [second, third] = [request(places), request(places)];
  await setImmediate();
  expect([second.isRunning(), third.isRunning()]).toEqual([true, false]);
  wake();
  second.end();
  await back;
  await setImmediate();
  expect(third.isRunning()).toBe(false);
  first.end();
  third.end();
  await expect(third.done).resolves.toBe('done');
});

test('a full line › 429', async () => {
  const places = placesWith(options);
  const all = Array.from({ length: 6 }, () => request(places));
  expect(await codeOf(all[5]?.done ?? Promise.resolve())).toEqual([429, 'too_many_requests']);
  expect(all[4]?.isRunning()).toBe(false);
});

test('no place in time › 503', async () => {
  const places = placesWith({ ...options, places: 1, placesAmongOthers: 1, maxWaitMs: 1 });
  request(places);
  expect(await codeOf(request(places).done)).toEqual([503, 'overloaded']);
});

test('a client that leaves › leaves the line as well', async () => {
  const places = placesWith({ ...options, places: 1, placesAmongOthers: 1 });
  const first = request(places);
  const gone = request(places);
  const next = request(places);
  gone.response.emit('close');
  expect(await codeOf(gone.done)).toEqual([400, 'request_aborted']);
  first.end();
  await first.done;
  await setImmediate();
  expect([gone.isRunning(), next.isRunning()]).toEqual([false, true]);
});

test('the process stops › what is in line is refused', async () => {
  const places = placesWith({ ...options, places: 1, placesAmongOthers: 1 });
  const first = request(places);
  const waiting = request(places);
  places.refuseWaiting();
  expect(await codeOf(waiting.done)).toEqual([503, 'overloaded']);
  first.end();
  await expect(first.done).resolves.toBe('done');
});
