import type { Config } from '../../config/env';
import type { Logger } from './log';

/** Values of a span. Never a secret, nor what a client entered. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** OpenTelemetry's kind: a request served, a job recorded, a job run, a call to the outside, or none of them. */
  kind: 'server' | 'producer' | 'consumer' | 'client' | 'internal';
  attributes?: SpanAttributes;
  /** The `traceparent` (W3C Trace Context) to continue; null begins a trace. Absent: the span in progress. */
  parent?: string | null;
}

/** A timed part of a trace. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, with the code of the error or the name of its class: its message may have an address in it. */
  fail(error: unknown): void;
  end(): void;
}

/** What implements the functions of this file while tracing is on. */
export interface Tracing {
  begin(name: string, options: SpanOptions): Span;
  /** Runs `work` with the span in progress. */
  within<T>(span: Span, work: () => T): T;
  /** The `traceparent` of the span in progress; null without one. */
  traceparent(): string | null;
  fields(): object | null;
  stop(): Promise<void>;
}

/** Null while tracing is off. Like OpenTelemetry's own, it is global: a trace crosses every layer. */
let tracing: Tracing | null = null;

const noSpan: Span = { rename: () => undefined, set: () => undefined, fail: () => undefined, end: () => undefined };

/**
 * Switches tracing on for this process, if it is configured. Only then OpenTelemetry's SDK is loaded.
 * @param process names the process where `OTEL_SERVICE_NAME` does not
 */
export async function startTracing({ tracing: settings }: Config, process: string, log: Logger): Promise<void> {
  if (!settings.isOn) return;
  const { openTelemetry } = await import('./openTelemetry.js');
  tracing = openTelemetry(settings.protocol, settings.serviceName || `invoicing-${process}`, log);
}

/** Sends what is left and switches tracing off. */
export async function stopTracing(): Promise<void> {
  const stopped = tracing;
  tracing = null;
  await stopped?.stop();
}

/** Tells whether tracing is on. */
export const isTracing = (): boolean => tracing !== null;

/** Begins a span that the caller ends, and runs `work` with it in progress. */
export function beginSpan<T>(name: string, options: SpanOptions, work: (span: Span) => T): T {
  if (tracing === null) return work(noSpan);
  const span = tracing.begin(name, options);
  return tracing.within(span, () => work(span));
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
