import type { Middleware } from 'koa';
import type { QueueSignals } from '../shared/engine/jobs';
import type { Services } from '../shared/services';
import type { EventLoopWatch } from './watchEventLoop';

/** What the pages of the operator port are made of. */
export interface OperatorContext {
  readonly services: Services;
  readonly signals: QueueSignals;
  readonly eventLoop: EventLoopWatch;
}

/** Something that the operator port serves below a path. It is reached only with the operator's token. */
export interface OperatorMount {
  /** Without a slash at its end: `/metrics` serves `/metrics` and what is below `/metrics/`. */
  readonly path: string;
  readonly serve: (context: OperatorContext) => Middleware;
}
