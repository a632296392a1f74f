import { FailureCounts } from '../../../api/limits/FailureCounts';

describe('failures of a network', () => {
  test('above the allowed number › block it to the end of its window, and it alone', () => {
    const counts = new FailureCounts(2, 60_000);
    for (const at of [1_000, 2_000, 3_000]) counts.add('a', at);
    expect(counts.blockedFor('a', 11_000)).toBe(50_000);
    expect(counts.blockedFor('b', 11_000)).toBe(0);
    expect(counts.blockedFor('a', 61_000)).toBe(0);
  });

  test('that were none after all › are taken back', () => {
    const counts = new FailureCounts(2, 60_000);
    for (let n = 0; n < 10; n++) {
      counts.add('a', n);
      counts.takeBack('a', n);
    }
    expect(counts.blockedFor('a', 10)).toBe(0);
  });

  test('of very many networks › are forgotten from the oldest on', () => {
    const counts = new FailureCounts(0, 60_000);
    counts.add('first', 0);
    for (let n = 0; n < 60_000; n++) counts.add(`n${n}`, 0);
    expect(counts.blockedFor('first', 1)).toBe(0);
    expect(counts.blockedFor('n59999', 1)).toBeGreaterThan(0);
  });
});
