import { AppError } from './AppError';

/** 502: the mail provider refused the message for good (bad address, rejected content). */
export class EmailRefused extends AppError {
  constructor(message: string, cause?: unknown) {
    super('email_refused', message, { status: 502, cause });
  }
}

/** 504 when it lasts: the mail provider did not take the message, certainly; trying again is safe. */
export class EmailUnavailable extends AppError {
  /**
   * @param retryAfterMs milliseconds that the provider asked to be left alone (429), or null
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
 * As {@link EmailUnavailable}, for every message alike: the provider does not take the configured credentials, or they cannot
 * be used with it. The message says what has to be put right.
 */
export class EmailAccountRefused extends EmailUnavailable {}

/** 504: the message was handed over and no response came: it may or may not have been sent. Never repeated by itself. */
export class DeliveryUncertain extends AppError {
  /** @param retryAfterMs milliseconds that the provider asked to be left alone, by all messages; null if it did not */
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
  constructor(message: string, cause?: unknown) {
    super('gateway_refused', message, { status: 502, cause });
  }
}

/**
 * 504 when it lasts: the gateway did not respond, or responded that it cannot now. `outcomeUnknown` is true where the
 * request may have been carried out all the same (a time-out, a broken connection, a 5xx): ask by reference first.
 */
export class GatewayUnavailable extends AppError {
  readonly outcomeUnknown: boolean;
  /** Milliseconds that the gateway asked to be left alone (429), or null. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { outcomeUnknown: boolean; retryAfterMs?: number | null; cause?: unknown }) {
    super('gateway_unavailable', message, { status: 504, retryable: true, cause: options.cause });
    this.outcomeUnknown = options.outcomeUnknown;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** 503 to who waits: the PDF could not be rendered now (browser crashed or hung); the next try may succeed. */
export class RenderFailed extends AppError {
  constructor(message: string, cause?: unknown) {
    super('render_failed', message, { status: 503, retryable: true, headers: { 'Retry-After': '2' }, cause });
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
 * As {@link RenderFailed}, and the render took its browser along: it passed the deadline and was cut off, or the browser
 * crashed. The next try is likely to end the same way.
 */
export class RenderCutOff extends RenderFailed {}
