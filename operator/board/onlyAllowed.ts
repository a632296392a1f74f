import type { BeforeHook } from '@bull-board/api/typings/app';
import { RefusedByBoard } from './RefusedByBoard';

/** The routes by which the board changes something. All other routes of bull-board that change something are refused. */
const allowed: readonly string[] = [
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/pause',
  'put /api/queues/resume',
  'put /api/queues/:queueName/pause',
  'put /api/queues/:queueName/resume',
];

/** Refuses all other routes, also those of later versions of bull-board. */
export const onlyAllowed: BeforeHook = ({ method, route }) => {
  if (method === 'get' || allowed.includes(`${method} ${route}`)) return;
  return { allow: false, status: 403, message: new RefusedByBoard('do this').message };
};
