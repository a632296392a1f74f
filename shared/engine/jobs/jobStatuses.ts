export const jobStatuses = ['pending', 'running', 'done', 'failed', 'uncertain'] as const;
/** `uncertain`: the outcome at the far side cannot be known; it is not repeated by itself. */
export type JobStatus = (typeof jobStatuses)[number];
