import { FailureCounts } from '../../../../api/http/limits/FailureCounts';

let time = 0;
const countsOf = (allowed: number): FailureCounts => new FailureCounts(allowed, 60_000, { now: () => new Date(time) });

beforeEach(() => {
  time = 1_000;
});

describe('failures of a network', () => {
  test('above the allowed number › block it to the end of its window, and it alone', () => {
    const counts = countsOf(2);
    for (time of [1_000, 2_000, 3_000]) counts.add('a');
    time = 11_000;
    expect(counts.blockedFor('a')).toBe(50_000);
    expect(counts.blockedFor('b')).toBe(0);
    time = 61_000;
    expect(counts.blockedFor('a')).toBe(0);
  });

  test('that were none after all › are taken back', () => {
    const counts = countsOf(2);
    for (let n = 0; n < 10; n++) {
      counts.add('a');
      counts.takeBack('a');
    }
    expect(counts.blockedFor('a')).toBe(0);
  });

  test('of very many networks › are forgotten from the oldest on', () => {
    const counts = countsOf(0);
    counts.add('first');
    for (let n = 0; n < 60_000; n++) counts.add(`n${n}`);
    expect(counts.blockedFor('first')).toBe(0);
    expect(counts.blockedFor('n59999')).toBeGreaterThan(0);
  });
});
