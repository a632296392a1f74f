/** Schemas of requests and responses, and the validation by them. */
export { bodyValidator, queryValidator } from './ajv';
export { plainAjv } from './plainAjv';
export { type DecimalBounds, decimalRules } from './decimal';
export { deprecatedParts, type DeprecatedPart, type Deprecation, deprecationSentence, hasPart } from './deprecation';
export {
  boolean,
  currency,
  cursorListOf,
  day,
  dayOrTime,
  decimalText,
  email,
  errorCode,
  EVENT_TYPE_PATTERN,
  getQuery,
  includeDeleted,
  line,
  listOf,
  locale,
  METADATA_KEY_PATTERN,
  named,
  nameLine,
  oneLine,
  oneOf,
  orNull,
  pageQuery,
  rateText,
  recordId,
  requestBody,
  responseBody,
  type StaticOf,
  text,
  timestamp,
  timezone,
  decimal,
  decimalNumber,
  webAddress,
} from './fields';
export { formatMessage, standardFormat } from './formats';
export { normaliseBody } from './normaliseBody';
export { knownHint } from './unknownParameters';
