import { jobQueueNames, rowlessQueueNames } from '../../config/queues';
import type { AfterHook } from '@bull-board/api/typings/app';
import type { Middleware } from 'koa';
import { MAX_LISTED } from '../../shared/engine/jobs';
import type { OperatorContext } from '../OperatorContext';
import { boardPath } from './boardPath';
import { boardError } from './boardError';
import { BoardServer } from './BoardServer';
import { onlyAllowed } from './onlyAllowed';
import { RecordedQueue } from './RecordedQueue';
import { RowlessQueue } from './RowlessQueue';

/** Loads bull-board, which takes 0.06 s and 9 MB, and creates its app with our queues. */
export async function createBoardApp(context: OperatorContext): Promise<Middleware> {
  const { createBullBoard } = await import('@bull-board/api');
  const server = new BoardServer(boardPath, boardError);
  createBullBoard({
    queues: [
      ...jobQueueNames.map((name) => new RecordedQueue(context, name)),
      ...rowlessQueueNames.map((name) => new RowlessQueue(context, name)),
    ],
    serverAdapter: server,
    options: {
      handlerHooks: { before: onlyAllowed, after: reachablePages },
      uiConfig: {
        boardTitle: 'Invoicing: queues',
        locale: { lng: 'en-US' },
        hideRedisDetails: true,
        hideDocsLink: true,
        jobDetails: { defaultTab: 'Data' },
        showMetrics: false,
        showWorkers: false,
        sortQueues: false,
      },
    },
  });
  return server.middleware();
}

/** No page is offered that {@link MAX_LISTED} puts out of reach. */
const reachablePages: AfterHook = ({ route, request }, response) => {
  const { queues } = response.body as { queues?: { pagination: { pageCount: number } }[] };
  if (route === '/api/queues' && queues !== undefined) {
    const { jobsPerPage } = request.query as { jobsPerPage: number };
    const reachable = Math.ceil(MAX_LISTED / jobsPerPage);
    for (const { pagination } of queues) pagination.pageCount = Math.min(pagination.pageCount, reachable);
  }
  return response;
};
