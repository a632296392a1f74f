/** Jobs: contract, record, relay to the queue, turns, end, pause, list and retry. The workers run them. */
export { jobEvents } from './events';
export {
  errorForClients,
  errorForOperators,
  getJob,
  type JobEnd,
  type JobRecord,
  readJobEnds,
  toJobError,
} from './getJob';
export { Job } from './Job';
export {
  type AnyJobContract,
  id,
  type JobContract,
  type JobContracts,
  type PayloadOf,
  type ResultOf,
} from './JobContract';
export { JobEndHints } from './JobEndHints';
export { JobEnds } from './JobEnds';
export { type EntryState, flowOf, JobQueues } from './JobQueues';
export { countDone, findStoredJob, jobsInState, MAX_LISTED } from './jobsInState';
export { type JobState, jobStates, type JobStatus, jobStatuses, stateOf } from './jobStates';
export { listJobs, showJob } from './listJobs';
export { Outbox } from './Outbox';
export type { QueueCounter } from './QueueCounter';
export { isHeldBack, KnownPauses, pausedQueues, pauseQueue, resumeQueue } from './queuePauses';
export { type QueueSignal, QueueSignals, type Signals } from './QueueSignals';
export { queueStates } from './queueStates';
export type { Flow } from './QueueTurns';
export { recordJob } from './recordJob';
export { isSoon, relayAtOf } from './relayTimes';
export { retryJob } from './retryJob';
export {
  countToRetry,
  retriedStatuses,
  retryBatch,
  type RetryCount,
  type RetryFilter,
  type RetryPosition,
} from './retryJobs';
export type { StoredJob } from './storedJob';
export { waitFor } from './waitFor';
export { listWorkers, recordHeartbeat, removeWorker } from './workerRows';
