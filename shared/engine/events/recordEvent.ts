import type { Static, TSchema } from '@sinclair/typebox';
import type { UnitOfWork } from '../db';
import { named } from '../schemas';

/** One type of event: its name (past tense, `subject.verb`; additions only), and the schema of its `data`. */
export interface EventType<Data extends TSchema = TSchema> {
  readonly type: string;
  /** The kind of its subject: `invoice`, `expense` … */
  readonly subject: string;
  readonly data: Data;
  /** When it is recorded, for the documentation. */
  readonly meaning: string;
  /** Returns one English sentence about an event, for timelines. Old events lack the fields that were added later. */
  summary(data: Partial<Static<Data>>): string;
}

interface More<Data extends TSchema> extends Partial<Pick<EventType, 'meaning' | 'subject'>> {
  /** Not a method: the compiler then refuses one that needs fields that old events lack. */
  summary?: (data: Partial<Static<Data>>) => string;
}

/**
 * Describes a type of event. Its subject is by default the first word of its name, its summary the name in words. Every type in
 * `shared/eventTypes.ts` has a meaning.
 */
export function eventType<const Data extends TSchema>(
  type: string,
  data: Data,
  { meaning = '', subject = type.slice(0, type.indexOf('.')), summary = () => inWords(type) }: More<Data> = {},
): EventType<Data> {
  return { type, subject, data: named(`${inPascalCase(type)}Data`, data), meaning, summary };
}

/** A schema of values of the type. */
export type SchemaOf<T> = TSchema & { readonly static: T };

/**
 * Records an event in the transaction of the change. Feed, timeline and audit are read from it. `data` carries ids and changed fields,
 * never secrets.
 */
export function recordEvent<Data extends TSchema>(
  { companyId, actor, requestId, now: createdAt, recordedEvents }: UnitOfWork,
  { type, subject: subjectType }: EventType<Data>,
  subjectId: number,
  data: Static<Data>,
): void {
  const about = { subjectType, subjectId, data: JSON.stringify(data) };
  recordedEvents.push({ companyId, type, actor, ...about, createdAt, requestId });
}

/** Returns `InvoicePaymentLinkCreated` for `invoice.payment_link.created`. */
export function inPascalCase(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns `Invoice payment link created` for `invoice.payment_link.created`. */
export function inWords(type: string): string {
  const words = type.replaceAll(/[._]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
