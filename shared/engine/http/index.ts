/** The parts that the HTTP servers of the service, and its client of foreign servers, share. */
export { ignoreBody, onRead, refuseFurtherHeads } from './parser';
export { Pipelines } from './Pipelines';
export { isEnding, reset } from './reset';
