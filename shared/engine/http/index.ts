/** What every HTTP server of the service needs. */
export { ignoreBody } from './ignoreBody';
export { Pipelines } from './Pipelines';
