import { toIsoTime, toSqlTime } from '../../../../shared/engine/db/sql';

describe('toIsoTime', () => {
  it('returns the time that toSqlTime wrote', () => {
    const moment = new Date('2026-01-31T10:00:00.250Z');
    expect(toIsoTime(toSqlTime(moment))).toBe(moment.toISOString());
  });

  it('has milliseconds also where the driver leaves them out: at a whole second', () => {
    expect(toIsoTime('2026-01-31 10:00:00')).toBe('2026-01-31T10:00:00.000Z');
  });
});
