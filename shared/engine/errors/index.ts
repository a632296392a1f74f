/** Named errors: each has a code, a message for callers, and says whether a retry helps. */
export { AppError } from './AppError';
export { type ErrorCode, errorCodes } from './codes';
export {
  DeliveryUncertain,
  EmailAccountRefused,
  EmailRefused,
  EmailUnavailable,
  GatewayRefused,
  GatewayUnavailable,
  PdfOfOtherVersion,
  RenderCutOff,
  RenderFailed,
} from './effectErrors';
export {
  BadRequest,
  Conflict,
  DatabaseUnavailable,
  type FieldProblem,
  LimitReached,
  MAX_PROBLEMS,
  NotFound,
  Overloaded,
  PreconditionFailed,
  RequestAborted,
  RequestTimeout,
  SecretsUnavailable,
  ServiceUnavailable,
  TooManyRequests,
  ValidationFailed,
} from './requestErrors';
