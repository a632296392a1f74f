import { CompanyTurns } from '../../../../shared/kernel/CompanyTurns';

/** Work that ends when it is told to. */
function controlled(turns: CompanyTurns) {
  const started: string[] = [];
  const endings = new Map<string, (error?: Error) => void>();
  const begin = (companyId: number, name: string): Promise<string> =>
    turns.run(companyId, () => {
      started.push(name);
      return new Promise((resolve, reject) => endings.set(name, (error) => (error ? reject(error) : resolve(name))));
    });
  /** Lets what can begin, begin. */
  const settle = (): Promise<void> => new Promise(setImmediate);
  const end = async (name: string, error?: Error): Promise<void> => {
    endings.get(name)?.(error);
    await settle();
  };
  return { started, begin, end, settle };
}

const turnsOf = (limits = {}) =>
  new CompanyTurns('logos', { concurrency: 2, waitingPerCompany: 3, waiting: 4, ...limits });

describe('turns', () => {
  test('run one piece of work of a company at a time, in order, and those of others beside it', async () => {
    const { started, begin, end, settle } = controlled(turnsOf());
    const all = [begin(1, '1a'), begin(1, '1b'), begin(2, '2a')];
    await settle();
    expect(started).toEqual(['1a', '2a']);
    await end('2a');
    expect(started).toEqual(['1a', '2a']);
    await end('1a');
    expect(started).toEqual(['1a', '2a', '1b']);
    await end('1b');
    expect(await Promise.all(all)).toEqual(['1a', '1b', '2a']);
  });

  test('alternate between companies, however much one of them has sent', async () => {
    const { started, begin, end, settle } = controlled(turnsOf({ concurrency: 1 }));
    const all = [begin(1, '1a'), begin(1, '1b'), begin(1, '1c'), begin(2, '2a'), begin(3, '3a')];
    await settle();
    for (const name of ['1a', '1b', '2a', '3a', '1c']) await end(name);
    await Promise.all(all);
    expect(started).toEqual(['1a', '1b', '2a', '3a', '1c']);
  });

  test('refuse work beyond what may wait, of one company and of all, and take it when there is room again', async () => {
    const { begin, end, settle } = controlled(turnsOf({ concurrency: 1 }));
    const all = ['1a', '1b', '1c', '1d'].map((name) => begin(1, name));
    await expect(begin(1, '1e')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    all.push(begin(2, '2a'));
    await settle();
    await expect(begin(3, '3a')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    await end('1a');
    all.push(begin(3, '3a'));
    for (const name of ['1b', '2a', '1c', '3a', '1d']) await end(name);
    expect(await Promise.all(all)).toHaveLength(6);
  });

  test('go on after work that fails', async () => {
    const { started, begin, end, settle } = controlled(turnsOf({ concurrency: 1 }));
    const failing = expect(begin(1, '1a')).rejects.toThrow('broken');
    const next = begin(1, '1b');
    await settle();
    await end('1a', new Error('broken'));
    await failing;
    expect(started).toEqual(['1a', '1b']);
    await end('1b');
    await next;
  });
});
