import type { ProviderName } from '../../../config/paymentProviders';
import { AppError, retrySoon } from './AppError';

/** 502: the mail provider refused the message for good (bad address, rejected content). */
export class EmailRefused extends AppError {
  constructor(message: string, cause?: unknown) {
    super('email_refused', message, { status: 502, cause });
  }
}

/** 504 after the last retry: the mail provider certainly did not take the message, so a retry is safe. */
export class EmailUnavailable extends AppError {
  /**
   * @param retryAfterMs the provider's `Retry-After` (429) in milliseconds, or null
   * @param detail for operators, or null
   */
  constructor(
    message: string,
    cause?: unknown,
    readonly retryAfterMs: number | null = null,
    detail: string | null = null,
  ) {
    super('email_unavailable', message, { status: 504, retryable: true, cause, detail });
  }
}

/**
 * Like {@link EmailUnavailable}, for every message: the provider takes none of the configured account. The message says why.
 */
export class EmailAccountRefused extends EmailUnavailable {}

/** 504: the message was handed over and no response came, so it may have been sent. Never retried automatically. */
export class DeliveryUncertain extends AppError {
  /** @param retryAfterMs the provider's `Retry-After` for all messages in milliseconds, or null */
  constructor(
    message: string,
    cause?: unknown,
    readonly retryAfterMs: number | null = null,
  ) {
    super('delivery_uncertain', message, { status: 504, cause });
  }
}

/** 502: the gateway refused the request for good (invalid amount, unknown key). */
export class GatewayRefused extends AppError {
  constructor(message: string) {
    super('gateway_refused', message, { status: 502 });
  }
}

/**
 * 504 after the last retry: the gateway did not respond, or is unavailable. `outcomeUnknown` is true where the request may have been
 * carried out (a time-out, a broken connection, a 5xx): look it up by reference first.
 */
export class GatewayUnavailable extends AppError {
  readonly outcomeUnknown: boolean;
  /** The gateway's `Retry-After` (429) in milliseconds, or null. */
  readonly retryAfterMs: number | null;
  /** Whose `Retry-After` it is. */
  readonly provider: ProviderName | null;

  constructor(
    message: string,
    options: { outcomeUnknown: boolean; retryAfterMs?: number | null; provider?: ProviderName; cause?: unknown },
  ) {
    super('gateway_unavailable', message, { status: 504, retryable: true, cause: options.cause });
    this.outcomeUnknown = options.outcomeUnknown;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.provider = options.provider ?? null;
  }
}

/** 503: the PDF could not be rendered (the browser crashed or hung). A retry may succeed. */
export class RenderFailed extends AppError {
  constructor(message: string, cause?: unknown) {
    super('render_failed', message, { ...retrySoon, cause });
  }
}

/** 503: the PDF of an e-mail was drawn by another version of the service than the one that sends. */
export class PdfOfOtherVersion extends AppError {
  constructor() {
    const remedy = 'run workers of one version, then retry the job';
    super('pdf_of_other_version', `the workers of e-mails and of PDFs are of different versions: ${remedy}`, {
      status: 503,
      retryable: true,
    });
  }
}

/**
 * A {@link RenderFailed} that ended its browser: the render passed the deadline and was cut off, or the browser crashed. A retry is likely
 * to end the same way.
 */
export class RenderCutOff extends RenderFailed {}
