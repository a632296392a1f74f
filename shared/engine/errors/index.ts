/** Errors by name: each has a code, says whether a retry helps, and what a caller may read. */
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
  type DatabaseProblem,
  DatabaseUnavailable,
  EventsRemoved,
  type FieldProblem,
  type LimitName,
  LimitReached,
  MAX_PROBLEMS,
  NotFound,
  Overloaded,
  PreconditionFailed,
  RequestAborted,
  RequestTimeout,
  ScopeMissing,
  SecretsUnavailable,
  ServiceUnavailable,
  Unauthorized,
  ValidationFailed,
} from './requestErrors';
