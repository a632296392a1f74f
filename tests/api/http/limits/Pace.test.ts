import { Pace } from '../../../../api/http/limits/Pace';

const pace = () => new Pace(1_000, 2_000);

test('bytes within the burst › arrive without a wait', () => {
  const one = pace();
  expect(one.count(1, 1_500, 0)).toBe(0);
  expect(one.count(1, 500, 0)).toBe(0);
});

test('bytes beyond the burst › wait until the rate has earned them', () => {
  const one = pace();
  expect(one.count(1, 2_500, 0)).toBe(500);
  expect(one.count(1, 1_000, 500)).toBe(1_000);
});

test('a company that pauses › earns a burst, and no more than that', () => {
  const one = pace();
  one.count(1, 2_000, 0);
  expect(one.count(1, 2_000, 60_000)).toBe(0);
  expect(one.count(1, 1_000, 60_000)).toBe(1_000);
});

test('another company › has a pace of its own', () => {
  const one = pace();
  one.count(1, 50_000, 0);
  expect(one.count(2, 2_000, 0)).toBe(0);
});
