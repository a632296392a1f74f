import { createLogger } from '../../../shared/engine/log/log';
import { QueueGate } from '../../../workers/jobs/QueueGate';

const calls: string[] = [];
const taker = {
  pause: () => Promise.resolve(void calls.push('pause')),
  resume: () => Promise.resolve(void calls.push('resume')),
};
beforeEach(() => calls.splice(0));

test('several reasons › the queue runs only when none is left', () => {
  const gate = new QueueGate('email', taker, createLogger('silent', 'test'));
  gate.set('operator', true);
  gate.set('credentials', true);
  gate.set('credentials', false);
  expect([gate.isClosed, calls]).toEqual([true, ['pause']]);
  gate.set('credentials', true);
  gate.set('operator', false);
  expect([gate.isClosed, calls]).toEqual([true, ['pause']]);
  gate.set('credentials', false);
  expect([gate.isClosed, calls]).toEqual([false, ['pause', 'resume']]);
});

test('a reason that is given or taken away twice › counts once', () => {
  const gate = new QueueGate('email', taker, createLogger('silent', 'test'), new Set(['not read yet']));
  gate.set('operator', true);
  gate.set('operator', true);
  gate.set('not read yet', false);
  gate.set('operator', false);
  gate.set('operator', false);
  expect(calls).toEqual(['resume']);
});
