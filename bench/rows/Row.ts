import type { Books } from '../installation/seedBooks';
import type { Installation } from '../installation/startInstallation';
import type { LoadTask } from '../load/LoadTask';
import type { TaskProcess } from '../../dev/tasks/TaskProcess';
import type { Sample } from '../measuring/Sample';
import type { FreshInvoices } from './FreshInvoices';

/** Concurrent requests. */
export const connections = 16;

/** The installation and tools with which rows are measured. */
export interface Bench {
  installation: Installation;
  load: TaskProcess<LoadTask, Sample>;
  fresh: FreshInvoices;
  /** A company of 100,000 open invoices with two items each, 60,000 with `--quick`. Created at the first call. */
  books(): Promise<Books>;
  /** A folder for files of the rows. */
  dataDir: string;
  /** Starts a measuring process that ends with the benchmark. */
  startMeasurer<Task>(script: string): TaskProcess<Task, Sample>;
}

/** Measures one side for the given seconds. */
export type Side = (seconds: number) => Promise<Sample>;

/** The two sides that are measured in turns. */
export interface Sides {
  project: Side;
  limit: Side;
}

export interface Row {
  /** For `--only`. */
  name: string;
  what: string;
  /** The baseline, and the least share of its rate that the project should reach. */
  limit: { what: string; atLeast: number };
  /** `quick`: short, for a first impression. */
  prepare(bench: Bench, quick: boolean): Promise<Sides>;
}
