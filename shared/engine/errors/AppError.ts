import type { ErrorCode } from './codes';

/**
 * The base of every named error: what a client may read (`message`, `code`, `status`), what only operators read
 * (`cause` in the log, `detail` also with the job), and whether trying again can help (`retryable`).
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** The HTTP status that a client who waits for the outcome gets. */
  readonly status: number;
  /** True when the same attempt may succeed later; jobs are retried only then. */
  readonly retryable: boolean;
  /** What operators read beside the message, for example the host that cannot be reached; null for nothing. */
  readonly detail: string | null;
  /** Extra response headers, for example `Retry-After` (seconds). */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
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
    this.code = code;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail ?? null;
    this.headers = options.headers ?? {};
  }
}
