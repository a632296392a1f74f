import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** All metrics of this process. It lives as long as the process: services that are opened in one process share it. */
const registry = new Registry();

const buckets = {
  /** Requests: from a cached read to one that waits 25 s for its job. */
  request: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  /** Runs of a job: a call to another service, with its time-out. */
  run: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  /** From due to started: milliseconds in an idle installation, hours with a backlog. */
  start: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 43_200],
  /** One PDF: 5 ms on a warm browser, at most 10 s. */
  render: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

/** Every metric of the service, by the name that dashboards and alerts use. Names and labels are contract. */
export const metrics = {
  up: level('invoicing_up', '1 if this process reaches the service, else 0', 'service'),
  queueJobs: level('invoicing_queue_jobs', 'Jobs of the whole installation', 'queue', 'state'),
  queueOldest: level(
    'invoicing_queue_oldest_seconds',
    'Age of the oldest due job that has not started, of the whole installation; 0 if none waits',
    'queue',
  ),
  queuePaused: level('invoicing_queue_paused', '1 if an operator has paused the queue, else 0', 'queue'),
  outboxLag: level(
    'invoicing_outbox_lag_seconds',
    'Age of the oldest due job that is not in its queue in Redis, of the whole installation; 0 if all are',
  ),
  jobStartLatency: durations(
    'invoicing_job_start_latency_seconds',
    'From when a job was due until this process started it',
    buckets.start,
    'queue',
  ),
  jobDuration: durations(
    'invoicing_job_duration_seconds',
    'One run of a job in this process',
    buckets.run,
    'job',
    'outcome',
  ),
  scanLastSuccess: level(
    'invoicing_scan_last_success_timestamp_seconds',
    'When a periodic scan last succeeded in this process, in seconds since 1970',
    'scan',
  ),
  httpRequest: durations(
    'invoicing_http_request_duration_seconds',
    'From the head of a request until its response is ready to be sent',
    buckets.request,
    'method',
    'route',
    'status',
  ),
  pdfRender: durations('invoicing_pdf_render_seconds', 'Printing one PDF', buckets.render),
  chromiumRestarts: count('invoicing_chromium_restarts_total', 'Browsers that replaced another one'),
  webhookDeliveries: count(
    'invoicing_webhook_deliveries_total',
    'Attempts to deliver an event to a webhook endpoint: delivered, retried later, or failed for good',
    'outcome',
  ),
  limitReached: count(
    'invoicing_limit_reached_total',
    'Requests that were refused because their company stores as much of one kind as it can',
    'limit',
  ),
  deprecatedRequests: count(
    'invoicing_deprecated_requests_total',
    'Requests that used what is deprecated: the operation, or a parameter or field of it',
    'operation',
  ),
  databasePool: level(
    'invoicing_database_pool',
    'Connections of this process to MySQL: used, free; and how many callers wait for one',
    'state',
  ),
  replicaLag: level(
    'invoicing_replica_lag_seconds',
    'By how much the replica of DATABASE_READ_URL may be behind, as this process measures it while it reads there',
  ),
  replicaRequests: count(
    'invoicing_replica_requests_total',
    'Requests that may be read at the replica, by where they were read: replica or primary',
    'reader',
  ),
  eventLoopLag: level(
    'invoicing_event_loop_lag_seconds',
    'The longest time for which the event loop was blocked, in the last 10 to 20 seconds',
  ),
};

/** Adds the usual metrics `process_*` and `nodejs_*` of this process. Further calls do nothing. */
export function collectProcessMetrics(): void {
  if (registry.getSingleMetric('process_start_time_seconds') === undefined)
    collectDefaultMetrics({ register: registry });
}

/** The media type of {@link metricsText}. */
export const metricsType = registry.contentType;

/** Returns all metrics in the text format of Prometheus. */
export function metricsText(): Promise<string> {
  return registry.metrics();
}

/** The values of labels, in the order in which the metric names them. */
type LabelsOf<Names extends readonly string[]> = { [Index in keyof Names]: string };

/** Makes a histogram. The library checks and copies the labels of each observation, so their objects are made once. */
function durations<Names extends string[]>(name: string, help: string, buckets: number[], ...labelNames: Names) {
  const histogram = new Histogram({ name, help, buckets, labelNames, registers: [registry] });
  const series = new Map<string, { observe(seconds: number): void }>();
  return {
    observe(seconds: number, ...labels: LabelsOf<Names>): void {
      const key = labels.join('\n');
      let one = series.get(key);
      if (one === undefined) series.set(key, (one = histogram.labels(...labels)));
      one.observe(seconds);
    },
  };
}

function count<Names extends string[]>(name: string, help: string, ...labelNames: Names) {
  const counter = new Counter({ name, help, labelNames, registers: [registry] });
  return { add: (...labels: LabelsOf<Names>): void => counter.labels(...labels).inc() };
}

/** Makes a number that is set. `clear` forgets its values: the metric has no series until it is set again. */
function level<Names extends string[]>(name: string, help: string, ...labelNames: Names) {
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  // `reset` sets a metric without labels to 0, and so does its constructor.
  const clear = (): void => (labelNames.length === 0 ? gauge.remove() : gauge.reset());
  clear();
  return { set: (value: number, ...labels: LabelsOf<Names>): void => gauge.labels(...labels).set(value), clear };
}
