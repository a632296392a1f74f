import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { fillTemplate } from './fillTemplate';
import { staticFiles } from './staticFiles';

/** The parts that bull-board sets when its board is created. */
interface Board {
  queues: BullBoardQueues;
  uiConfig: UIConfig;
  viewsPath: string;
  staticPath: { readonly route: string; readonly folder: string };
  page: AppViewRoute;
  api: readonly AppControllerRoute[];
}

/**
 * Serves bull-board with Koa: its page, its files and its requests, below `basePath`. Bodies of requests are not read, because
 * none of the changes that the board allows has one.
 */
export class BoardServer implements IServerAdapter {
  private board: Partial<Board> = {};

  /** @param toResponse makes the response to a request that throws, in the place of bull-board's own function */
  constructor(
    private readonly basePath: string,
    private readonly toResponse: (error: Error) => ControllerHandlerReturnType,
  ) {}

  setQueues = (queues: BullBoardQueues): this => this.keep({ queues });
  setUIConfig = (uiConfig: UIConfig): this => this.keep({ uiConfig });
  setViewsPath = (viewsPath: string): this => this.keep({ viewsPath });
  setStaticPath = (route: string, folder: string): this => this.keep({ staticPath: { route, folder } });
  setEntryRoute = (page: AppViewRoute): this => this.keep({ page });
  setApiRoutes = (api: AppControllerRoute[]): this => this.keep({ api });
  setErrorHandler = (): this => this;

  /** @throws {Error} when the board was not created with this server, or a file of bull-board cannot be read. */
  async middleware(): Promise<Middleware> {
    const board = complete(this.board);
    const router = new Router({ strict: true });
    const page = await this.renderedPage(board);
    router[board.page.method](this.pathsOf(board.page.route), (ctx) => {
      ctx.type = 'html';
      ctx.body = page;
    });
    for (const route of board.api) {
      const respond = (ctx: Context) => this.respond(ctx, board, route);
      for (const method of [route.method].flat()) router[method](this.pathsOf(route.route), respond);
    }
    const { route, folder } = board.staticPath;
    const files = await staticFiles(this.basePath + route, folder);
    const [routes, otherMethods] = [router.routes(), router.allowedMethods()] as unknown as [Middleware, Middleware];
    return async (ctx, next) => {
      await files(ctx, async () => {
        await routes(ctx, () => otherMethods(ctx, next) as Promise<void>);
      });
    };
  }

  private keep(part: Partial<Board>): this {
    Object.assign(this.board, part);
    return this;
  }

  /** The start page is found with and without a slash at its end. */
  private pathsOf(route: string | readonly string[]): string[] {
    const paths = [route].flat().map((path) => this.basePath + path);
    return paths.includes(`${this.basePath}/`) ? [this.basePath, ...paths] : paths;
  }

  private async renderedPage({ viewsPath, page, uiConfig }: Board): Promise<string> {
    const { name, params } = page.handler({ basePath: this.basePath, uiConfig });
    return fillTemplate(await readFile(join(viewsPath, name), 'utf8'), params);
  }

  private async respond(ctx: Context, { queues, uiConfig }: Board, route: AppControllerRoute): Promise<void> {
    const { params, query } = ctx as Context & { params: Record<string, string> };
    const headers = ctx.headers as Record<string, string | undefined>;
    const { status = 200, body } = await this.caught(ctx, async () =>
      route.handler({ queues, uiConfig, params, query, headers, body: {} }),
    );
    ctx.status = status;
    ctx.body = body;
  }

  private async caught(
    ctx: Context,
    handle: () => Promise<ControllerHandlerReturnType>,
  ): Promise<ControllerHandlerReturnType> {
    try {
      return await handle();
    } catch (error) {
      ctx.app.emit('error', error, ctx);
      return this.toResponse(error as Error);
    }
  }
}

function complete(board: Partial<Board>): Board {
  const { queues, uiConfig, viewsPath, staticPath, page, api } = board;
  if (!queues || !uiConfig || !viewsPath || !staticPath || !page || !api) {
    throw new Error(
      `bull-board has set only ${Object.keys(board).join(', ')}: its version is not the one of this server`,
    );
  }
  return { queues, uiConfig, viewsPath, staticPath, page, api };
}
