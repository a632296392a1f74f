/** The parts that all HTTP servers of the service share. */
export { ignoreBody } from './ignoreBody';
export { Pipelines } from './Pipelines';
