import type { Installation } from '../installation/startInstallation';
import type { LoadTask } from '../load/LoadTask';
import type { TaskProcess } from '../../dev/tasks/TaskProcess';
import type { Sample } from '../measuring/Sample';
import type { FreshInvoices } from './FreshInvoices';

/** Requests at once. */
export const connections = 16;

/** What rows are measured with. */
export interface Bench {
  installation: Installation;
  load: TaskProcess<LoadTask, Sample>;
  fresh: FreshInvoices;
  /** For files that a row needs. */
  dataDir: string;
  /** Starts a measuring process that ends with the benchmark. */
  startMeasurer<Task>(script: string): TaskProcess<Task, Sample>;
}

/** One way of doing the thing; measured for so many seconds. */
export type Side = (seconds: number) => Promise<Sample>;

export interface Row {
  /** For `--only`. */
  name: string;
  what: string;
  /** What it is held against, and the least share of it that is aimed at; null where the row is only of interest. */
  limit: { what: string; atLeast: number } | null;
  prepare(bench: Bench): Promise<{ project: Side; limit: Side | null }>;
}
