import { removeInBatches } from '../../../../shared/engine/redis';
import { openTestServices } from '../../../support/installation';

test('removeInBatches › the deadline comes first › the next call continues after the last batch, and the one after the end begins anew', async () => {
  const { queues, config } = await openTestServices();
  const begun: number[] = [];
  /** Ten ids a batch, up to 30. `batches` are done before the time is over. */
  const run = (batches: number): Promise<number> => {
    const late = begun.length + batches;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (begun.length < late ? 0 : 2));
    return removeInBatches(queues.redis, `${config.redisPrefix}:remove-in-batches`, 1, (after) => {
      begun.push(after);
      return Promise.resolve({ removed: 4, next: after < 20 ? after + 10 : null });
    }).finally(() => clock.mockRestore());
  };
  expect(await run(2)).toBe(8);
  expect(await run(9)).toBe(4);
  expect(await run(1)).toBe(4);
  expect(begun).toEqual([0, 10, 20, 0]);
});
