/** Tracing: the only way to OpenTelemetry. */
export type { Span } from './Span';
export { beginSpan, isTracing, startTracing, stopTracing, traced, traceFields, traceparent } from './trace';
