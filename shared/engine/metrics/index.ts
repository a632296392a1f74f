/** Metrics, in one place so that their library can be exchanged. */
export { collectProcessMetrics, metrics, metricsText, metricsType } from './metrics';
