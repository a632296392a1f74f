/** What every HTTP server of the service needs. */
export { Pipelines } from './Pipelines';
