import type { QueueName } from '../../config/queues';
import { RefusedByBoard } from './RefusedByBoard';

/** Which queues an operator has paused. */
export interface Pauses {
  paused(): Promise<ReadonlySet<string>>;
  pause(queue: QueueName): Promise<void>;
  resume(queue: QueueName): Promise<void>;
}

/** SEAM: to be replaced by the pauses that MySQL keeps. */
export const noPauses: Pauses = {
  paused: () => Promise.resolve(new Set()),
  pause: () => Promise.reject(new RefusedByBoard('pause a queue yet')),
  resume: () => Promise.reject(new RefusedByBoard('resume a queue yet')),
};
