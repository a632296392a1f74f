import type { Config } from '../../../config/env';
import { logAlways, type Logger } from '../log';
import type { OpenTelemetry } from './openTelemetry';
import type { Span, SpanOptions } from './Span';

/** Null while tracing is off. Like OpenTelemetry's own, it is global: a trace crosses every layer. */
let tracing: OpenTelemetry | null = null;

const noSpan: Span = { rename: () => undefined, set: () => undefined, fail: () => undefined, end: () => undefined };

/**
 * Switches tracing on for this process, if it is configured. Only then OpenTelemetry's SDK is loaded.
 * @param process names the process where `OTEL_SERVICE_NAME` does not
 */
export async function startTracing({ tracing: settings }: Config, process: string, log: Logger): Promise<void> {
  if (!settings.isOn) return;
  const { openTelemetry } = await import('./openTelemetry.js');
  tracing = openTelemetry(settings.protocol, settings.serviceName || `invoicing-${process}`, log);
  logAlways(traceFields);
}

/** Sends the remaining spans and switches tracing off. */
export async function stopTracing(): Promise<void> {
  const stopped = tracing;
  tracing = null;
  await stopped?.stop();
}

/** Tests whether tracing is on. */
export const isTracing = (): boolean => tracing !== null;

/** Begins a span that the caller ends, and runs `work` with it in progress. */
export function beginSpan<T>(name: string, options: SpanOptions, work: (span: Span) => T): T {
  return tracing === null ? work(noSpan) : tracing.begin(name, options, work);
}

/** Runs `work` as a span. Without tracing it just runs `work`. */
export async function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  if (tracing === null) return work(noSpan);
  return beginSpan(name, options, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns the `traceparent` by which another process continues the trace; null without tracing. */
export const traceparent = (): string | null => tracing?.traceparent() ?? null;

/** Returns the ids of the span in progress, as fields of a line in the log (OpenTelemetry's names); null without tracing. */
export const traceFields = (): object | null => tracing?.fields() ?? null;
