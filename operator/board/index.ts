import type { Middleware } from 'koa';
import type { OperatorContext } from '../OperatorContext';
import { createBoardApp } from './boardApp';
import { boardPage } from './boardPage';
import { boardPath } from './boardPath';

export { boardPath };

/** The queue dashboard: bull-board, over the rows of MySQL. It is loaded when it is opened first, and again if that failed. */
export function createBoard(context: OperatorContext, load = createBoardApp): Middleware {
  let loading: Promise<Middleware> | undefined;
  const loaded = async (): Promise<Middleware> => {
    try {
      return await (loading ??= load(context));
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return async (ctx, next) => {
    const app = await loaded();
    await boardPage(ctx, async () => {
      await app(ctx, next);
    });
  };
}
