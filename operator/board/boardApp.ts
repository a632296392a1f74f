import type { AfterHook } from '@bull-board/api/typings/app';
import type { Middleware } from 'koa';
import { MAX_LISTED } from '../../shared/kernel/jobs/jobsInState';
import type { OperatorContext } from '../OperatorMount';
import { boardPath } from './boardPath';
import { boardError } from './boardError';
import { onlyAllowed } from './onlyAllowed';
import { RecordedQueue } from './RecordedQueue';
import { RowlessQueue } from './RowlessQueue';

/** Loads bull-board, which takes 0.1 s and 14 MB, and creates its app with our queues. */
export async function createBoardApp(context: OperatorContext): Promise<Middleware> {
  const [{ createBullBoard }, { KoaAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/koa'),
  ]);
  const server = new KoaAdapter();
  server.setBasePath(boardPath);
  createBullBoard({
    queues: [
      new RecordedQueue(context, 'email'),
      new RecordedQueue(context, 'payment-link'),
      new RowlessQueue(context, 'pdf'),
      new RowlessQueue(context, 'schedule'),
    ],
    serverAdapter: server,
    options: {
      handlerHooks: { before: onlyAllowed, after: reachablePages },
      uiConfig: {
        boardTitle: 'Invoicing: queues',
        locale: { lng: 'en-US' },
        hideRedisDetails: true,
        hideDocsLink: true,
        showMetrics: false,
        showWorkers: false,
        sortQueues: false,
      },
    },
  });
  server.setErrorHandler(boardError);
  return server.registerPlugin();
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
