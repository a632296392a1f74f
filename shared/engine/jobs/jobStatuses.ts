export const jobStatuses = ['pending', 'running', 'done', 'failed', 'uncertain'] as const;
/** `uncertain`: the outcome at the provider cannot be known. The job is not retried automatically. */
export type JobStatus = (typeof jobStatuses)[number];
