/** Tracing: the only way to OpenTelemetry. */
export { beginSpan, isTracing, type Span, startTracing, stopTracing, traced, traceFields, traceparent } from './trace';
