import { instant } from '../../cli/arguments';

const now = Date.parse('2027-03-01T12:00:00Z');
beforeAll(() => jest.useFakeTimers({ now }));
afterAll(() => jest.useRealTimers());

test.each([
  ['2027-01-31T17:00:00Z', '2027-01-31T17:00:00.000Z'],
  ['2027-01-31T17:00:00.5+07:00', '2027-01-31T10:00:00.500Z'],
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['90m', '2027-03-01T10:30:00.000Z'],
  ['12h', '2027-03-01T00:00:00.000Z'],
  ['3d', '2027-02-26T12:00:00.000Z'],
])('%s › is a time', (text, expected) => {
  expect(instant(text).toISOString()).toBe(expected);
});

test.each(['yesterday', '12', '2027-02-30T00:00:00Z', '2027-01-31T17:00:00', '-3d', ''])('%j › is refused', (text) => {
  expect(() => instant(text)).toThrow(/2027-01-31T17:00:00Z/);
});
