import { FairBudget } from '../../../../api/http/limits/FairBudget';

const open = (budget: FairBudget, companyId: number) => {
  const cut = jest.fn();
  return { holding: budget.open(companyId, cut), cut };
};

describe('one company', () => {
  test('takes at most half', () => {
    const budget = new FairBudget(100);
    const { holding } = open(budget, 1);
    expect(holding.tryTake(50)).toBe(true);
    expect(holding.tryTake(1)).toBe(false);
    expect(holding.bytes).toBe(50);
    expect(open(budget, 2).holding.tryTake(50)).toBe(true);
  });

  test('needs room above its half › its own holding that has been silent longest is cut', () => {
    const budget = new FairBudget(100);
    const [first, second, third] = [open(budget, 1), open(budget, 1), open(budget, 1)];
    first.holding.tryTake(20);
    second.holding.tryTake(20);
    first.holding.tryTake(1);
    expect(third.holding.tryTake(20)).toBe(true);
    expect([first.cut, second.cut, third.cut].map((cut) => cut.mock.calls.length)).toEqual([0, 1, 0]);
    expect(second.holding.tryTake(1)).toBe(false);
    expect([first, second, third].map(({ holding }) => holding.bytes)).toEqual([21, 0, 20]);
  });

  test('has only finished holdings › none is cut, the new one is refused', () => {
    const budget = new FairBudget(100);
    const [first, second] = [open(budget, 1), open(budget, 1)];
    first.holding.tryTake(50);
    first.holding.finish();
    expect(second.holding.tryTake(1)).toBe(false);
    expect(first.cut).not.toHaveBeenCalled();
  });
});

describe('several companies', () => {
  test('no room for one that holds little › the one with the most unfinished bytes is cut', () => {
    const budget = new FairBudget(100);
    const [a, b, c, d] = [open(budget, 1), open(budget, 2), open(budget, 2), open(budget, 3)];
    a.holding.tryTake(45);
    b.holding.tryTake(25);
    c.holding.tryTake(25);
    expect(d.holding.tryTake(10)).toBe(true);
    expect([a.cut, b.cut, c.cut].map((cut) => cut.mock.calls.length)).toEqual([0, 1, 0]);
  });
});

test('a release › gives all bytes back, once', () => {
  const budget = new FairBudget(100);
  const { holding } = open(budget, 1);
  holding.tryTake(30);
  holding.finish();
  holding.release();
  holding.release();
  const others = [open(budget, 1), open(budget, 2)];
  expect(others.map((other) => other.holding.tryTake(50))).toEqual([true, true]);
});

test('a budget is full › no holding without bytes is looked at to make room', () => {
  const budget = new FairBudget(200);
  const idle = budget.open(1, () => undefined);
  let looks = 0;
  Object.defineProperty(idle, 'bytes', { get: () => (looks++, 0) });
  const [first, second] = [budget.open(1, () => undefined), budget.open(1, () => undefined)];
  expect([first.tryTake(100), second.tryTake(100)]).toEqual([true, true]);
  expect([first.bytes, looks]).toEqual([0, 0]);
});
