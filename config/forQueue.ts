import { splitList } from './kinds';
import type { QueueName } from './queues';
import type { Requirement } from './variable';

/**
 * Returns the requirement of a variable by workers that serve the queue. `chosen` names the variable that chooses the provider, and its
 * value.
 */
export function forQueue(
  queue: QueueName,
  remedy: string,
  chosen?: readonly [name: string, value: string],
): Requirement {
  return {
    where: `by workers that serve \`${queue}\`${chosen ? ` with \`${chosen.join('=')}\`` : ''}`,
    applies: ({ purpose, textOf }) =>
      purpose === 'worker' &&
      splitList(textOf('WORKER_QUEUES')).includes(queue) &&
      (chosen === undefined || textOf(chosen[0]) === chosen[1]),
    remedy: `; ${remedy}, or leave "${queue}" out of WORKER_QUEUES`,
  };
}
