import { DatabaseClock } from '../../../shared/database/DatabaseClock';
import { createLogger, type Logger } from '../../../shared/log';

const hour = 3_600_000;

/** MySQL whose clock is ahead of this machine's. */
const mysqlAhead = (ms: number) => () => Promise.resolve([{ now: String((Date.now() + ms) / 1000) }]);
const clockWith = (log: Pick<Logger, 'warn' | 'info'> = createLogger('silent', 'test')) =>
  new DatabaseClock(log as Logger);
const off = (clock: DatabaseClock, ms: number): number => Math.abs(clock.now().getTime() - Date.now() - ms);

afterEach(() => jest.restoreAllMocks());

describe('the clock of the database', () => {
  test('before it was compared › is the machine’s', () => {
    const clock = clockWith();
    expect(off(clock, 0)).toBeLessThan(1_000);
    expect(clock.offsetMs).toBeNull();
  });

  test.each([hour, -hour])(
    'MySQL is ahead by %i ms › shows the time of MySQL, and by how much it differs',
    async (ms) => {
      const clock = clockWith();
      await clock.compare(mysqlAhead(ms));
      expect(off(clock, ms)).toBeLessThan(5_000);
      expect(Math.abs((clock.offsetMs ?? 0) - ms)).toBeLessThan(5_000);
    },
  );

  test('the machine’s clock jumps › goes on evenly', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(0));
    const before = clock.now().getTime();
    jest.spyOn(Date, 'now').mockReturnValue(before + hour);
    expect(clock.now().getTime() - before).toBeLessThan(10_000);
    expect(Math.abs((clock.offsetMs ?? 0) + hour)).toBeLessThan(10_000);
  });

  test('a comparison that took long and agrees within that › changes nothing', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(0));
    const offset = clock.offsetMs ?? 0;
    await clock.compare(async () => {
      const answer = await mysqlAhead(0)();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return answer;
    });
    expect(Math.abs((clock.offsetMs ?? 0) - offset)).toBeLessThan(20);
  });

  test('a comparison that fails › is passed on, and the last one stays', async () => {
    const clock = clockWith();
    await clock.compare(mysqlAhead(hour));
    await expect(clock.compare(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(off(clock, hour)).toBeLessThan(1_000);
  });

  test('a difference of more than a second › is reported once, and when it is over', async () => {
    const log = { warn: jest.fn(), info: jest.fn() };
    const clock = clockWith(log);
    for (const ms of [0, hour, hour, 0]) await clock.compare(mysqlAhead(ms));
    expect([log.warn.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1]);
  });
});
