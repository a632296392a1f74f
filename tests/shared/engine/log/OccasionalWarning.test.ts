import { createLogger } from '../../../../shared/engine/log/log';
import { OccasionalWarning, untilRepaired } from '../../../../shared/engine/log/OccasionalWarning';

const log = createLogger('silent', 'test');
let warn: jest.SpyInstance;

beforeEach(() => {
  jest.useFakeTimers();
  warn = jest.spyOn(log, 'warn');
});

afterEach(() => jest.useRealTimers());

describe('a warning that anybody can cause', () => {
  test('a thousand times › two lines in the first minute, with how many there were', () => {
    const warning = new OccasionalWarning(log, 'refused');
    for (let n = 1; n <= 1_000; n++) warning.note({ ip: `192.0.2.${n}` });
    expect(warn.mock.calls).toEqual([[{ ip: '192.0.2.1', count: 1 }, 'refused']]);
    jest.advanceTimersByTime(60_000);
    expect(warn.mock.calls.slice(1)).toEqual([[{ ip: '192.0.2.1000', count: 999 }, 'refused']]);
  });

  test('for ten minutes › a line a minute', () => {
    const warning = new OccasionalWarning(log, 'refused');
    for (let second = 0; second < 600; second++) {
      warning.note({});
      jest.advanceTimersByTime(1_000);
    }
    expect(warn.mock.calls.length).toBeLessThanOrEqual(11);
  });

  test('after a quiet minute › is written immediately again', () => {
    const warning = new OccasionalWarning(log, 'refused');
    warning.note({});
    jest.advanceTimersByTime(120_000);
    expect(warn).toHaveBeenCalledTimes(1);
    warning.note({});
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

describe('a warning that lasts until somebody repairs its cause', () => {
  const lastFor = (warning: OccasionalWarning, seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      warning.note({});
      jest.advanceTimersByTime(1_000);
    }
  };

  test('for a day › is written at growing intervals, at most an hour apart', () => {
    const warning = new OccasionalWarning(log, 'refused', untilRepaired);
    const perStage = [1, 9, 59, 599, 3_599, 86_400].map((seconds, index, all) => {
      lastFor(warning, seconds - (all[index - 1] ?? 0));
      return warn.mock.calls.length;
    });
    expect(perStage.slice(0, 4)).toEqual([1, 1, 3, 5]);
    expect(perStage.at(-1)).toBeLessThan(32);
    expect(perStage.at(-1)).toBeGreaterThan(24);
  });

  test('that has ended › is written immediately when it returns, and its end is reported once', () => {
    const warning = new OccasionalWarning(log, 'refused', untilRepaired);
    expect(warning.end()).toBe(false);
    lastFor(warning, 3);
    expect([warning.end(), warning.end()]).toEqual([true, false]);
    lastFor(warning, 3);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
