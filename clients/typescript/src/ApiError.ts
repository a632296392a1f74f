import type { Problem } from './generated/types.gen.js';

/** A response other than a success. `code` is `unknown`, and `problem` null, if a proxy has sent it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: Problem['code'] | 'unknown';

  constructor(
    readonly status: number,
    readonly requestId: string | null,
    readonly problem: Problem | null,
  ) {
    super(problem?.detail ?? `The response has the status ${status}.`);
    this.code = problem?.code ?? 'unknown';
  }
}
