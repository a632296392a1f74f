import type { JSONSchemaType } from 'ajv';
import type { JobQueueName, QueueName } from '../../../config/queues';

/**
 * The contract between recorder and handler of a job. Payloads carry ids, never snapshots or secrets. They are checked against the schema
 * when a job is run, since an older version may have recorded it.
 */
export interface JobContract<Name extends string, Payload, Result> extends AnyJobContract {
  readonly name: Name;
  readonly payload: JSONSchemaType<Payload>;
  /** Jobs with the same key in a company share the one that has not ended; without it, or with null, each is its own. */
  dedupeKey?(payload: Payload): string | null;
  /** Only for the compiler: what the job's row holds as `result`. */
  readonly result?: Result;
}

export interface AnyJobContract {
  readonly name: string;
  readonly queue: JobQueueName;
  /** Queues whose jobs a run may have to wait for. */
  readonly needs?: readonly QueueName[];
  readonly payload: object;
  dedupeKey?(payload: unknown): string | null;
  readonly result?: unknown;
}

/** Contracts by the name of the job. */
export type JobContracts = Readonly<Record<string, AnyJobContract>>;

export type PayloadOf<C extends AnyJobContract> =
  C extends JobContract<string, infer Payload, unknown> ? Payload : unknown;
export type ResultOf<C extends AnyJobContract> = NonNullable<C['result']>;

export const id = { type: 'integer', minimum: 1 } as const;
