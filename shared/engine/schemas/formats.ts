import type Ajv from 'ajv/dist/2020';
import { isEmailAddress } from '../../../config/emailAddress';
import { isCurrency } from '../../money/currencies';
import { readDate } from '../../dates/dates';
import { isInvoiceNumber, isInvoiceNumberFormat } from '../../invoiceNumbers/invoiceNumber';
import { plainAjv } from './plainAjv';

/** Control characters other than line breaks and tabs, and halves of surrogate pairs. */
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/u;

const isDateTime = plainAjv.compile<string>({ type: 'string', format: 'date-time' });
const isUri = plainAjv.compile<string>({ type: 'string', format: 'uri' });

interface Format {
  isValid: (text: string) => boolean;
  /** The message for text without the format. */
  message: string;
  /** The registered format that text of responses has. That of requests has it too, unless they take more. */
  standard?: 'date' | 'date-time' | 'email' | 'uri';
  takesMore?: true;
}

/**
 * The formats of text: by ajv-formats where JSON Schema defines one and requests need no more and no less than it. Lengths are
 * checked before them, because some are slow on long text.
 */
const formats: Readonly<Record<string, Format>> = {
  day: {
    isValid: (text) => readDate(text) !== null,
    message: 'must be a day of the calendar, YYYY-MM-DD',
    standard: 'date',
    takesMore: true,
  },
  currency: { isValid: isCurrency, message: 'must be an ISO 4217 currency code, such as IDR' },
  email: { isValid: isEmailAddress, message: 'must be an e-mail address', standard: 'email' },
  locale: { isValid: isLocale, message: 'must be a BCP 47 language tag, such as en or id-ID' },
  timezone: { isValid: isTimezone, message: 'must be an IANA time zone, such as Asia/Jakarta' },
  text: { isValid: (text) => !UNPRINTABLE.test(text), message: 'must not contain control characters' },
  line: { isValid: isLine, message: 'must be one line without control characters' },
  uri: { isValid: isUri, message: 'must be a URL', standard: 'uri' },
  'date-time': {
    // Of the timestamps of RFC 3339, no Date is made of a leap second or of an offset without minutes (`+07`).
    isValid: (text) => isDateTime(text) && !Number.isNaN(Date.parse(text)),
    message: 'must be a timestamp with seconds and an offset (RFC 3339), such as 2027-01-31T17:00:00Z',
    standard: 'date-time',
  },
  'day-or-time': {
    isValid: (text) => readDate(text) !== null || (isDateTime(text) && !Number.isNaN(Date.parse(text))),
    message: 'must be a day, YYYY-MM-DD, or a timestamp with seconds and an offset, such as 2027-01-31T17:00:00Z',
  },
  'web-address': { isValid: isWebAddress, message: 'must be an http or https URL' },
  'endpoint-url': {
    isValid: isEndpointUrl,
    message: 'must be an http or https URL without a user, a password and a fragment',
  },
  color: { isValid: (text) => /^#[\da-f]{6}$/i.test(text), message: 'must be a colour, such as #0f766e' },
  // Of an invoice number, and of a caller's own id.
  printable: { isValid: isInvoiceNumber, message: 'must be printable characters, and not only spaces' },
  'invoice-number-format': {
    isValid: isInvoiceNumberFormat,
    message: 'must contain {SEQ:n} once (n from 1 to 9), and beside it only text, {YYYY} and {MM}',
  },
};

export function addFormats(ajv: Ajv): void {
  for (const [name, { isValid }] of Object.entries(formats)) {
    ajv.addFormat(name, { type: 'string', validate: isValid });
  }
}

/** Returns the message for text without the format. */
export function formatMessage(name: string): string {
  return formats[name]?.message ?? 'is not valid';
}

/** The format that the OpenAPI document gives text of a request or response; null where it has none that tools know. */
export function standardFormat(name: string, of: 'request' | 'response'): string | null {
  const { standard = null, takesMore = false } = formats[name] ?? {};
  return of === 'request' && takesMore ? null : standard;
}

function isLine(text: string): boolean {
  return !UNPRINTABLE.test(text) && !/[\n\r\t\u2028\u2029]/.test(text);
}

/**
 * The URL parser accepts and drops spaces and line breaks. It takes the square of a host's length for signs beyond ASCII, and no name server
 * knows names of more than 253 characters.
 */
function isWebAddress(text: string): boolean {
  return (
    text === '' || (/^https?:\/\/[^\s/?#\\]{1,300}([/?#\\]\S*)?$/i.test(text) && isLine(text) && URL.canParse(text))
  );
}

/** Credentials would be stored in clear text; a fragment is never sent. */
function isEndpointUrl(text: string): boolean {
  if (text === '' || text.includes('#') || !isWebAddress(text)) return false;
  const { username, password, hostname } = new URL(text);
  return username === '' && password === '' && hostname !== '';
}

function isLocale(text: string): boolean {
  return isTaken(() => Intl.getCanonicalLocales(text));
}

function isTimezone(text: string): boolean {
  return /^[A-Z]/i.test(text) && isTaken(() => new Intl.DateTimeFormat('en', { timeZone: text }));
}

/** Tests whether ICU takes a name: it throws a RangeError for others. */
function isTaken(use: () => unknown): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
