import { DatabaseClock } from '../../../../shared/engine/db/DatabaseClock';
import { createLogger, type Logger } from '../../../../shared/engine/log/log';

const hour = 3_600_000;

/** The machine's clocks stand still but for what a test lets pass: the one that never jumps, and the one of its time. */
let steady: number;
let machine: number;
const pass = (ms: number): void => {
  steady += ms;
  machine += ms;
};
beforeEach(() => {
  [steady, machine] = [5_000, Date.UTC(2026, 4, 5)];
  jest.spyOn(performance, 'now').mockImplementation(() => steady);
  jest.spyOn(Date, 'now').mockImplementation(() => machine);
});

/** MySQL whose clock is ahead of this machine's. */
const mysqlAhead = (ms: number) => () => Promise.resolve([{ now: String((Date.now() + ms) / 1000) }]);
const clockWith = (log: Pick<Logger, 'warn' | 'info'> = createLogger('silent', 'test')) =>
  new DatabaseClock(log as Logger);
const ahead = (clock: DatabaseClock): number => clock.now().getTime() - machine;

describe('the clock of the database', () => {
  test('before it was compared › is the machine’s', () => {
    const clock = clockWith();
    expect(ahead(clock)).toBe(0);
    expect(clock.offsetMs).toBeNull();
  });

  test.each([hour, -hour])(
    'MySQL is ahead by %i ms › shows the time of MySQL, and by how much it differs',
    async (ms) => {
      const clock = clockWith();
      await clock.compare(mysqlAhead(ms));
      pass(60_000);
      expect([ahead(clock), clock.offsetMs]).toEqual([ms, ms]);
    },
  );

  test('the machine’s clock jumps › goes on evenly', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(0));
    const before = clock.now().getTime();
    pass(1_000);
    machine += hour;
    expect([clock.now().getTime() - before, clock.offsetMs]).toEqual([1_000, -hour]);
  });

  test('a comparison that took long and agrees within that › changes nothing', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(0));
    await clock.compare(async () => {
      const response = await mysqlAhead(0)();
      pass(200);
      return response;
    });
    expect(clock.offsetMs).toBe(0);
  });

  test('a comparison that fails › is passed on, and the last one stays', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(hour));
    await expect(clock.compare(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(ahead(clock)).toBe(hour);
  });

  test('a difference of more than a second › is reported once, and when it is over', async () => {
    const log = { warn: jest.fn(), info: jest.fn() };
    const clock = clockWith(log);
    for (const ms of [0, hour, hour, 0]) await clock.compare(mysqlAhead(ms));
    expect([log.warn.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1]);
  });
});
