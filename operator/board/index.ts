import type { Middleware } from 'koa';
import type { OperatorContext } from '../OperatorMount';
import { createBoardApp } from './boardApp';
import { boardPage } from './boardPage';
import { boardPath } from './boardPath';

export { boardPath };

/** The queue dashboard: bull-board, over the rows of MySQL. It is loaded when it is opened first. */
export function createBoard(context: OperatorContext): Middleware {
  let loading: Promise<Middleware> | undefined;
  return async (ctx, next) => {
    const app = await (loading ??= createBoardApp(context));
    await boardPage(ctx, async () => {
      await app(ctx, next);
    });
  };
}
