import { createLogger } from '../../../shared/log';
import { OccasionalWarning } from '../../../shared/OccasionalWarning';

const log = createLogger('silent', 'test');
const warn = jest.spyOn(log, 'warn');

beforeEach(() => {
  jest.useFakeTimers();
  warn.mockClear();
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

  test('after a quiet minute › is written at once again', () => {
    const warning = new OccasionalWarning(log, 'refused');
    warning.note({});
    jest.advanceTimersByTime(120_000);
    expect(warn).toHaveBeenCalledTimes(1);
    warning.note({});
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
