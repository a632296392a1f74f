import { setTimeout as sleep } from 'node:timers/promises';
import {
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { type Logger, OccasionalWarning, untilRepaired } from '../log';
import type { Span, SpanOptions } from './Span';

const kinds: Record<SpanOptions['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** How long a stopping process waits for a receiver that does not respond. */
const STOP_WITHIN_MS = 2_000;

/** The tracing of OpenTelemetry's SDK, which reads its further `OTEL_*` variables itself. Only {@link startTracing} loads this file. */
export function openTelemetry(protocol: string, serviceName: string, log: Logger): OpenTelemetry {
  const lost = new OccasionalWarning(log, 'traces cannot be sent', untilRepaired);
  const note = (message: string): void => lost.note({ reason: message });
  const silent = (): void => undefined;
  diag.setLogger(
    { error: note, warn: note, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return new OpenTelemetry(provider);
}

/** The implementation behind `trace.ts` while tracing is on. */
export class OpenTelemetry {
  private readonly tracer = this.provider.getTracer('invoicing-service');

  constructor(private readonly provider: NodeTracerProvider) {}

  /** Begins a span, and runs `work` with it in progress. */
  begin<T>(name: string, { kind, attributes = {}, parent }: SpanOptions, work: (span: Span) => T): T {
    const within = parent === undefined ? context.active() : contextOf(parent);
    const span = this.tracer.startSpan(name, { kind: kinds[kind], attributes }, within);
    const ours: Span = {
      rename: (to) => span.updateName(to),
      set: (more) => span.setAttributes(more),
      fail: (error) => span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', codeOf(error)),
      end: () => span.end(),
    };
    return context.with(trace.setSpan(context.active(), span), () => work(ours));
  }

  /** The `traceparent` of the span in progress; null without one. */
  traceparent(): string | null {
    const carrier: { traceparent?: string } = {};
    propagation.inject(context.active(), carrier);
    return carrier.traceparent ?? null;
  }

  fields(): object | null {
    const span = trace.getActiveSpan()?.spanContext();
    return span === undefined ? null : { trace_id: span.traceId, span_id: span.spanId };
  }

  async stop(): Promise<void> {
    await Promise.race([this.provider.shutdown(), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  }
}

function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((text) => typeof text === 'string') ?? 'error';
}

const contextOf = (parent: string | null) =>
  parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
