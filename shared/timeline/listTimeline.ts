import { type Sql, toIsoTime } from '../engine/db';
import {
  type LargePage,
  type Page,
  pageRequest,
  type PageRequest,
  readPage,
  type RecordSource,
  requireRecord,
} from '../engine/records';
import { includeDeleted, named, responseBody, timestamp } from '../engine/schemas';
import { summaryOf } from './summaryOf';

/** The kinds of records that have a timeline: the name is the subject of their events. */
export interface TimelineKind {
  readonly name: 'invoice' | 'expense';
  readonly table: 'invoices' | 'expenses';
}

/** An event as one statement reads it. */
export interface TimelineRow {
  type: string;
  actor: string;
  data: string;
  createdAt: string;
}

export type TimelineRequest = Pick<PageRequest<never>, 'page' | 'limit'> & { includeDeleted: boolean };

/** The query parameters of a timeline. */
export const timelineQuery = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, default: 10 },
    ...includeDeleted,
  },
};

/** The schema of {@link presentTimelineEntry}. */
export const timelineEntry = named(
  'TimelineEntry',
  responseBody({
    at: timestamp,
    type: { type: 'string', examples: ['email.bounced'] },
    actor: { type: 'string', examples: ['api-key:12', 'job:sendInvoiceEmail'] },
    summary: {
      type: 'string',
      description: 'One English sentence.',
      examples: ['E-mail to accounts@acme.example bounced: mailbox does not exist'],
    },
    data: { type: 'object', description: 'That of the event.' },
  }),
);

export function presentTimelineEntry({ type, actor, data: json, createdAt }: TimelineRow): object {
  const data = JSON.parse(json) as object;
  return { at: toIsoTime(createdAt), type, actor, summary: summaryOf(type, data), data };
}

const source: RecordSource<TimelineRow> = {
  name: 'event',
  table: 'events',
  alias: 'v',
  columns: 'v.type, v.actor, v.data, v.createdAt',
};

/**
 * Returns a page of what happened to a record, the oldest first: its events, and nothing else.
 * @throws {NotFound} when the record is absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function listTimeline(
  sql: Sql,
  companyId: number,
  kind: TimelineKind,
  id: number,
  { page, limit, includeDeleted }: TimelineRequest,
): Promise<Page<TimelineRow> | LargePage<TimelineRow>> {
  await requireRecord(sql, companyId, kind, id, { includeDeleted });
  const conditions = [{ text: 'v.subjectType = ? AND v.subjectId = ?', values: [kind.name, id] }];
  const request = pageRequest({ page, limit, sortBy: 'id', sortOrder: 'asc' });
  return readPage(sql, companyId, { ...source, conditions }, request);
}
