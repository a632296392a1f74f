/** 403: the board only retries failed jobs and pauses queues. All other changes are made from the command line. */
export class RefusedByBoard extends Error {
  readonly status = 403;

  /** @param what the refused action, for example "remove a job" */
  constructor(what: string) {
    super(
      `the board does not ${what}: it retries failed jobs, and pauses and resumes queues; use the command line for the rest`,
    );
    this.name = 'RefusedByBoard';
  }
}
