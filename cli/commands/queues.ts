import { Argument, type Command } from 'commander';
import { queueNames, type QueueName } from '../../config/queues';
import { pauseQueue, queueStates, resumeQueue } from '../../shared/engine/jobs';
import { queueCounters } from '../../shared/queueCounters';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

/** `queues list`, `queues pause` and `queues resume`. */
export function addQueueCommands(program: Command, output: Output): void {
  const queues = program.command('queues').description('The queues of the workers.');
  const name = (): Argument => new Argument('<name>', 'name of the queue').choices(queueNames);
  queues
    .command('list')
    .description('Lists the queues: paused or not, and how many jobs are in which state.')
    .addHelpText('after', examples('queues list'))
    .action(async () => output({ data: await withDatabase(({ sql, now }) => queueStates(sql, now, queueCounters)) }));
  queues
    .command('pause')
    .description(
      'Pauses a queue: within 5 seconds no worker starts a job of it, until it is resumed. Jobs in progress go on, and requests are accepted.',
    )
    .addArgument(name())
    .addHelpText('after', examples('queues pause email'))
    .action(async (queue: QueueName) => {
      const since = await withDatabase(({ sql }) => pauseQueue(sql, queue));
      await output({ name: queue, paused: true, since });
    });
  queues
    .command('resume')
    .description('Lets a paused queue run again.')
    .addArgument(name())
    .addHelpText('after', examples('queues resume email'))
    .action(async (queue: QueueName) => {
      const wasPaused = await withDatabase(({ sql }) => resumeQueue(sql, queue));
      await output({ name: queue, paused: false, wasPaused });
    });
}
