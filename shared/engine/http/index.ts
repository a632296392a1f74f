/** The parts that the HTTP servers of the service, and its client of foreign servers, share. */
export { ignoreBody } from './ignoreBody';
export { onRead } from './onRead';
export { Pipelines } from './Pipelines';
export { refuseFurtherHeads } from './refuseFurtherHeads';
