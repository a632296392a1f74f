import { ok, warning, type Check, type Finding } from '../../../../shared/engine/checks/Check';
import { reasonOf } from '../../../../shared/engine/checks/reasonOf';
import { runChecks } from '../../../../shared/engine/checks/runChecks';

const nothingWrong = { wrongVariables: new Set<string>() };
const check = (name: string, run: () => Promise<Finding>, more: Partial<Check> = {}): Check => ({ name, run, ...more });
const good = check('good', () => Promise.resolve(ok('fine')));

describe('runChecks', () => {
  test('a check that throws or never ends › is broken, and the others have their results, in order', async () => {
    const throwing = check('throwing', () => Promise.reject(new Error('first', { cause: new Error('second') })));
    const hanging = check('hanging', () => new Promise(() => undefined));
    jest.useFakeTimers();
    const running = runChecks([throwing, hanging, good], nothingWrong);
    await jest.advanceTimersByTimeAsync(10_000);
    const results = await running;
    jest.useRealTimers();
    expect(results).toMatchObject([
      { name: 'throwing', status: 'broken', message: 'the check failed: first: second' },
      { name: 'hanging', status: 'broken', message: 'the check failed: there was no result within 10000 ms' },
      { name: 'good', status: 'ok', message: 'fine' },
    ]);
    for (const { status, remedy } of results) expect(remedy !== undefined).toBe(status === 'broken');
  });

  test('a check whose need is broken › is skipped and never run, and so is what needs that; a warning is no hindrance', async () => {
    const run = jest.fn(() => Promise.resolve(ok('run')));
    const down = check('down', () => Promise.reject(new Error('down')));
    const second = check('second', run, { needs: down });
    const third = check('third', run, { needs: second });
    const slow = check('slow', () => Promise.resolve(warning('slow', 'wait')));
    const afterSlow = check('after slow', () => Promise.resolve(ok('run')), { needs: slow });
    const results = await runChecks([third, second, down, slow, afterSlow], nothingWrong);
    expect(results.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'broken', 'warning', 'ok']);
    expect(results[1]?.message).toBe('not checked: "down" is broken');
    expect(run).not.toHaveBeenCalled();
  });

  test('a check with a wrong variable › is skipped, and names it', async () => {
    const wrong = { wrongVariables: new Set(['REDIS_URL']) };
    const [result] = await runChecks([{ ...good, variables: ['DATABASE_URL', 'REDIS_URL'] }], wrong);
    expect(result).toMatchObject({ status: 'skipped', message: 'not checked: REDIS_URL has to be set right first' });
  });
});

describe('reasonOf', () => {
  test('errors with causes, without text, with what was sent › one line without it', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(reasonOf(new Error('a\n  b', { cause: refused }))).toBe('a b: ECONNREFUSED');
    const reply = Object.assign(new Error('ERR unknown, with args beginning with: s3cret'), { name: 'ReplyError' });
    expect(reasonOf(reply)).toBe('ERR unknown');
    expect(reasonOf(new Error('x'.repeat(5_000))).length).toBeLessThan(500);
  });
});
