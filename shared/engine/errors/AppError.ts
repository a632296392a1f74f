import type { ErrorCode } from './codes';

/** Options of errors that a retry after two seconds may not meet. */
export const retrySoon = { status: 503, retryable: true, headers: { 'Retry-After': '2' } };

/**
 * The base of every named error. Clients may read `message`, `code` and `status`. Only operators read `cause` (in the log) and `detail`
 * (also with the job). `retryable` says whether a retry can help.
 */
export class AppError extends Error {
  /** The HTTP status of the response to a client that waits for the outcome. */
  readonly status: number;
  /** True when the same attempt may succeed later; jobs are retried only then. */
  readonly retryable: boolean;
  /** Details for operators, for example the unreachable host; null for none. */
  readonly detail: string | null;
  /** Extra response headers, for example `Retry-After` (seconds). */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: {
      status: number;
      retryable?: boolean;
      headers?: Record<string, string>;
      cause?: unknown;
      detail?: string | null;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail ?? null;
    this.headers = options.headers ?? {};
  }
}
