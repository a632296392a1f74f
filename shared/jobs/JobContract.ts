import type { JSONSchemaType } from 'ajv';
import type { JobQueueName } from '../../config/queues';

/**
 * What the side that records a job and the side that runs it agree on. Payloads carry ids, never snapshots or secrets;
 * they are checked against the schema when a job is run, since an older version may have recorded it.
 */
export interface JobContract<Name extends string, Payload, Result> {
  readonly name: Name;
  readonly queue: JobQueueName;
  readonly payload: JSONSchemaType<Payload>;
  /** Jobs with the same key in a company share the one that has not ended; without it, or with null, each is its own. */
  dedupeKey?(payload: Payload): string | null;
  /** Only for the compiler: what the job's row holds as `result`. */
  readonly result?: Result;
}

export const id = { type: 'integer', minimum: 1 } as const;
