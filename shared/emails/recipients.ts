import type { SchemaObject } from 'ajv';
import { asciiAddress } from '../../config/emailAddress';
import { email, named, requestBody, text } from '../engine/schemas';

/** Addresses of each kind that a request can give. */
const MAX_ADDRESSES = 5;
const MAX_MESSAGE = 2_000;
const SEPARATOR = ', ';
/** Characters of the longest list of addresses. */
export const LONGEST_TO = MAX_ADDRESSES * (254 + SEPARATOR.length) - SEPARATOR.length;

/** What a request of an e-mail may give. */
export interface EmailRequest {
  /** In the place of the client's address. */
  to?: string[];
  cc?: string[];
  /** Above the summary; may have several lines. */
  message?: string;
}

const addresses = (minItems: number): SchemaObject => ({
  type: 'array',
  minItems,
  maxItems: MAX_ADDRESSES,
  items: email,
});

/** The schema of an {@link EmailRequest}. */
export const emailRequest = named(
  'InvoiceEmailRequest',
  requestBody({
    to: { ...addresses(1), description: "Who gets the e-mail, instead of the client's address." },
    cc: { ...addresses(0), description: 'Who gets a copy.' },
    message: { ...text(MAX_MESSAGE), description: 'Plain text, shown above the summary of the invoice.' },
  }),
);

/** Returns what a row keeps of a request: addresses in ASCII, each one once, and null for what was not given. */
export function requestColumns({ to = [], cc = [], message = '' }: EmailRequest): {
  givenTo: string | null;
  cc: string | null;
  message: string | null;
} {
  const seen = new Set<string>();
  const listOf = (given: readonly string[]): string | null => {
    const once = given.map(asciiAddress).filter((address) => {
      const isNew = !seen.has(address.toLowerCase());
      seen.add(address.toLowerCase());
      return isNew;
    });
    return once.length === 0 ? null : once.join(SEPARATOR);
  };
  return { givenTo: listOf(to), cc: listOf(cc), message: message.trim() === '' ? null : message };
}

/** Returns the addresses of a list that a row keeps. */
export const addressesOf = (list: string | null): string[] => (list === null ? [] : list.split(SEPARATOR));

/** SQL for who an e-mail goes to. */
export const shownRecipient = (alias = 'emails'): string => `COALESCE(${alias}.givenTo, ${alias}.recipient)`;
