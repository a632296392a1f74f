import { boardPath, createBoard } from './board';
import { metricsPage } from './metricsPage';
import type { OperatorMount } from './OperatorMount';
import { queuesPage } from './queuesPage';

/** Everything that the operator port serves. */
export const mounts: readonly OperatorMount[] = [
  { path: '/metrics', serve: metricsPage },
  { path: '/queues', serve: queuesPage },
  { path: boardPath, serve: createBoard },
];
