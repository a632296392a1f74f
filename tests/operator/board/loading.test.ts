import Koa, { type Middleware } from 'koa';
import supertest from 'supertest';
import { createBoard } from '../../../operator/board';
import type { OperatorContext } from '../../../operator/OperatorContext';

test('a board that could not be loaded › is loaded again by the next request, and then kept', async () => {
  const board: Middleware = (ctx) => {
    ctx.body = 'the board';
  };
  const load = jest
    .fn<Promise<Middleware>, [OperatorContext]>()
    .mockRejectedValueOnce(new Error('the disk did not respond'))
    .mockResolvedValue(board);
  const app = new Koa().use(createBoard({} as OperatorContext, load));
  app.silent = true;
  const server = supertest(app.callback());
  await server.get('/board').expect(500);
  await server.get('/board').expect(200, 'the board');
  await server.get('/board').expect(200, 'the board');
  expect(load).toHaveBeenCalledTimes(2);
});
