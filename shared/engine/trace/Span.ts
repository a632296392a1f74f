/** Values of a span. Never a secret or a client's input. */
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
