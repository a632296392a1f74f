import { bodyValidator, queryValidator } from '../../../../shared/engine/schemas/ajv';
import { requestBody, text } from '../../../../shared/engine/schemas/fields';
import { invoice } from '../../../../shared/invoices/record';
import { ValidationFailed, type FieldProblem } from '../../../../shared/engine/errors';

function problemsOf(check: (value: never) => void, value: unknown): readonly FieldProblem[] {
  try {
    check(value as never);
    return [];
  } catch (error) {
    if (error instanceof ValidationFailed) return error.problems;
    throw error;
  }
}

const check = bodyValidator(invoice.newBody);
const item = { description: 'Work', quantity: 1, unitPrice: 1 };
const body = { clientId: 1, issueDate: '2026-01-01', dueDate: '2026-01-02', items: [item] };

/** A list that counts how often one of its elements is looked at. */
function watched(length: number): { list: unknown[]; looks: () => number } {
  let looks = 0;
  const list = new Proxy(
    Array.from({ length }, () => ({})),
    {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  return { list, looks: () => looks };
}

describe('the lengths of a body', () => {
  test('a list that is too long › is refused without a look at its elements', () => {
    const { list, looks } = watched(349_000);
    expect(problemsOf(check, { ...body, items: list })).toEqual([
      { path: 'items', message: 'must have at most 1000 elements' },
    ]);
    expect(looks()).toBe(0);
  });

  test('a text that is too long › is refused before its format is looked at', () => {
    let calls = 0;
    const format = jest.spyOn(Intl, 'getCanonicalLocales').mockImplementation(() => (calls++, []));
    const checkLocale = bodyValidator(requestBody({ locale: { type: 'string', maxLength: 35, format: 'locale' } }));
    const problems = problemsOf(checkLocale, { locale: 'en-'.repeat(93_000) });
    format.mockRestore();
    expect([problems, calls]).toEqual([[{ path: 'locale', message: 'must have at most 35 characters' }], 0]);
  });

  test('a thousand items that are all wrong › 20 problems', () => {
    expect(problemsOf(check, { ...body, items: Array.from({ length: 1_000 }, () => ({})) })).toHaveLength(20);
  });

  test('a hundred thousand unknown fields › 20 problems, and only as many fields are looked at', () => {
    let looks = 0;
    const fields = new Proxy(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, 1])), {
      getOwnPropertyDescriptor: (target, key) => ((looks += 1), Reflect.getOwnPropertyDescriptor(target, key)),
    });
    const problems = problemsOf(check, fields);
    expect(problems).toHaveLength(20);
    expect(problems[0]).toEqual({ path: 'k0', message: 'is not a known field' });
    expect(looks).toBeLessThan(30);
  });

  test('a few unknown fields › are reported with what else is wrong', () => {
    const paths = problemsOf(check, { ...body, tax_rate: 1, taxRate: 'x' }).map(({ path }) => path);
    expect(paths.sort()).toEqual(['taxRate', 'tax_rate']);
  });

  test('the name of an unknown field › is shown in its first 100 characters', () => {
    const [problem] = problemsOf(check, { ...body, ['k'.repeat(500_000)]: 1 });
    expect(problem).toEqual({ path: `${'k'.repeat(100)}…`, message: 'is not a known field' });
  });

  test.each([
    ['32 levels', 32, []],
    ['33 levels', 33, [{ path: 'client', message: 'must not be nested deeper than 32 levels' }]],
    ['300,000 levels', 300_000, [{ path: 'client', message: 'must not be nested deeper than 32 levels' }]],
  ])('an ignored field of %s', (_name, depth, problems) => {
    const client: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(problemsOf(check, { ...body, client })).toEqual(problems);
  });

  test('ignored fields that hold more than 10,000 values together › 400, and no more are looked at', () => {
    const values = (count: number): object => ({
      ...body,
      id: Array(count / 2).fill(0),
      client: { a: Array(count / 2).fill(0) },
    });
    expect(problemsOf(check, values(9_990))).toEqual([]);
    expect(problemsOf(check, values(10_000))).toEqual([{ path: 'client', message: 'holds more than 10000 values' }]);
  });

  test('a text of too many lines › 400, whichever way they end', () => {
    const checkText = bodyValidator(requestBody({ address: text(1_000, 20) }));
    const lines = (count: number, end: string): object => ({ address: Array(count).fill('x').join(end) });
    for (const end of ['\n', '\r\n', '\r', '\u2028', '\u2029']) {
      expect(problemsOf(checkText, lines(20, end))).toEqual([]);
      expect(problemsOf(checkText, lines(21, end))).toEqual([
        { path: 'address', message: 'must have at most 20 lines' },
      ]);
    }
  });

  test('an emoji › is one character', () => {
    const checkText = bodyValidator(requestBody({ notes: text(10) }));
    expect(problemsOf(checkText, { notes: '🧾'.repeat(10) })).toEqual([]);
    expect(problemsOf(checkText, { notes: '🧾'.repeat(11) })).toHaveLength(1);
  });
});

describe('numbers and booleans in a query', () => {
  const checkQuery = queryValidator({
    type: 'object',
    properties: { page: { type: 'integer', minimum: 1, default: 1 }, all: { type: 'boolean' } },
  });

  test.each([
    ['1', 1],
    ['007', 7],
    ['9007199254740993000', 9007199254740993000],
  ])('page=%s › is read', (text, page) => {
    const query: Record<string, unknown> = { page: text };
    checkQuery(query);
    expect(query).toEqual({ page });
  });

  test.each(['Infinity', '0x10', '1e3', '+1', '-1', '1.0', ' 1', '1_0', '٣', '0b1', 'NaN', '9'.repeat(400)])(
    'page=%s › 400',
    (page) => {
      expect(problemsOf(checkQuery, { page })).toEqual([{ path: 'page', message: 'must be an integer' }]);
    },
  );

  test.each(['1', '0', 'TRUE', 'yes', 'null'])('all=%s › 400', (all) => {
    expect(problemsOf(checkQuery, { all })).toEqual([{ path: 'all', message: 'must be a boolean' }]);
  });

  test('a parameter that is given twice › 400', () => {
    expect(problemsOf(checkQuery, { page: ['1', '2'] })).toHaveLength(1);
  });
});
