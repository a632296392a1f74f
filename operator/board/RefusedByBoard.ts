/** 403: what the board does not do. It retries failed jobs and pauses queues; all other changes are made from the command line. */
export class RefusedByBoard extends Error {
  readonly status = 403;

  /** @param what a verb and its object, for example "remove a job" */
  constructor(what: string) {
    super(
      `the board does not ${what}: it retries failed jobs, and pauses and resumes queues; use the command line for the rest`,
    );
    this.name = 'RefusedByBoard';
  }
}
