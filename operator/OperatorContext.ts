import type { QueueSignals } from '../shared/engine/jobs';
import type { Services } from '../shared/services';
import type { EventLoopWatch } from './watchEventLoop';

/** The services that the pages of the operator port need. */
export interface OperatorContext {
  readonly services: Services;
  readonly signals: QueueSignals;
  readonly eventLoop: EventLoopWatch;
}
