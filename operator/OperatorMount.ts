import type { Middleware } from 'koa';
import type { QueueSignals } from '../shared/engine/jobs';
import type { Services } from '../shared/services';
import type { EventLoopWatch } from './watchEventLoop';

/** The services that the pages of the operator port need. */
export interface OperatorContext {
  readonly services: Services;
  readonly signals: QueueSignals;
  readonly eventLoop: EventLoopWatch;
}

/** A part of the operator port below a path. Requests need the operator's token. */
export interface OperatorMount {
  /** Without a slash at its end: `/metrics` serves `/metrics` and what is below `/metrics/`. */
  readonly path: string;
  readonly serve: (context: OperatorContext) => Middleware;
}
