import {
  feedEventJson,
  type FeedPage,
  type FeedQuery,
  MAX_TYPE_PATTERNS,
  newestEvent,
  readFeed,
  requireKept,
} from '../../shared/engine/events';
import { ValidationFailed } from '../../shared/engine/errors';
import {
  EVENT_TYPE_PATTERN,
  named,
  oneLine,
  orNull,
  recordId,
  responseBody,
  timestamp,
} from '../../shared/engine/schemas';
import type { RouteResponse } from '../http/routing/RouteResponse';
import type { Call } from '../http/routing/Call';
import { route, type Route } from '../http/routing/Route';
import { awaitNumber, CLUSTER_LAG_MS } from './awaitNumber';

const MAX_LIMIT = 1_000;
const MAX_WAIT_S = 25;

/** The checked query of the feed. */
interface EventsQuery {
  after?: number | 'latest';
  limit: number;
  types?: string;
  subject?: string;
  wait: number;
}

const eventSchema = named(
  'Event',
  responseBody({
    id: recordId,
    type: { type: 'string', examples: ['invoice.paid'] },
    createdAt: timestamp,
    actor: { type: 'string', examples: ['api-key:12', 'job:sendInvoiceEmail'] },
    requestId: orNull({ type: 'string' }),
    subject: responseBody({ type: { type: 'string' }, id: recordId }),
    data: { type: 'object' },
  }),
);

const query = {
  type: 'object',
  properties: {
    after: {
      description:
        'Events after this one: `nextAfter` of the page before. `latest`: none yet, only where to begin. Absent: from the oldest that is kept.',
      type: ['integer', 'string'],
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      maxLength: 16,
      pattern: /^latest$/u.source,
    },
    limit: { type: 'integer', minimum: 1, default: 100, description: `Above ${MAX_LIMIT} counts as ${MAX_LIMIT}.` },
    types: {
      ...oneLine(4_000, 'line', { examples: ['invoice.*,payment.received'] }),
      description: 'Types between commas. `invoice.*` includes `invoice.payment_link.created`.',
    },
    subject: { ...oneLine(60, 'line', { examples: ['invoice:17'] }), pattern: /^[a-z_]{1,32}:\d{1,16}$/u.source },
    wait: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: `Seconds to wait for an event if there is none. Above ${MAX_WAIT_S} counts as ${MAX_WAIT_S}.`,
    },
  },
};

export const eventRoutes: Route[] = [
  route<unknown, EventsQuery>({
    operationId: 'listEvents',
    method: 'GET',
    path: '/api/events',
    scope: 'read',
    tag: 'Events',
    summary:
      'Read what happened, in order: a reader that continues from `nextAfter` misses nothing and sees nothing twice',
    query,
    failures: {
      409: '`after_ahead_of_feed`: no event has the id `after` or a higher one yet.',
      410: '`events_removed`: events after `after` were removed, which is older than the installation keeps.',
    },
    example: { query: { types: 'invoice.*', limit: 5 } },
    success: {
      status: 200,
      description: 'A part of the feed',
      schema: named(
        'EventPage',
        responseBody({
          data: { type: 'array', items: eventSchema },
          nextAfter: { type: 'integer', minimum: 0 },
          hasMore: { type: 'boolean' },
        }),
      ),
    },
    handle: async (call) => {
      const { services, companyId } = call;
      if (call.query.after === 'latest') {
        return present({ events: [], nextAfter: await newestEvent(services.sql, companyId), hasMore: false });
      }
      const page = await readOrWait(call, toFeedQuery(call.query, call.query.after ?? 0));
      await requireUnbroken(call);
      return present(page);
    },
  }),
];

/**
 * Reads until there is an event or the wait times out.
 * @throws {Conflict} 409 `after_ahead_of_feed` when the position is beyond every assigned number: the next events might be skipped.
 */
async function readOrWait(call: Call<unknown, EventsQuery>, from: FeedQuery): Promise<FeedPage> {
  const { services, companyId, turn } = call;
  const { wait } = call.query;
  const deadline = Date.now() + Math.min(wait, MAX_WAIT_S) * 1_000;
  let hasGone = false;
  let isChecked = false;
  for (let after = from.after; ;) {
    const reported = services.feedWaits.newestOf(companyId);
    const page = await readFeed(services.sql, companyId, { ...from, after });
    if (page.events.length === 0 && !isChecked) {
      await requireUnbroken(call);
      await awaitNumber(call, from.after);
    }
    isChecked = true;
    const leftMs = deadline - Date.now();
    if (page.events.length > 0 || page.hasMore || leftMs <= 0 || hasGone || services.jobEndHints.isClosing) return page;
    after = page.nextAfter;
    hasGone = await turn.aside(async (gone) => {
      // A reported event that is not found was removed, or is not readable yet.
      const isMissing = reported > after;
      const ms = isMissing ? Math.min(leftMs, CLUSTER_LAG_MS) : leftMs;
      await services.feedWaits.wait(companyId, Math.max(after, reported), ms, gone);
      return gone.aborted;
    });
  }
}

/** @throws {AppError} 410 `events_removed` when the reader named its position, and events after it were removed. */
async function requireUnbroken({ services, companyId, query }: Call<unknown, EventsQuery>): Promise<void> {
  const { sql, clock } = services;
  if (typeof query.after === 'number') await requireKept({ sql, now: clock.now() }, companyId, query.after);
}

function toFeedQuery({ limit, types, subject }: EventsQuery, after: number): FeedQuery {
  const [subjectType = '', subjectId = ''] = subject?.split(':') ?? [];
  return {
    after,
    limit: Math.min(limit, MAX_LIMIT),
    ...(types !== undefined && { types: readTypes(types) }),
    ...(subject !== undefined && { subject: { type: subjectType, id: Number(subjectId) } }),
  };
}

function readTypes(list: string): string[] {
  const types = list.split(',').map((type) => type.trim());
  if (types.length > MAX_TYPE_PATTERNS)
    throw ValidationFailed.at('types', `must name at most ${MAX_TYPE_PATTERNS} types`);
  const wrong = types.find((type) => !EVENT_TYPE_PATTERN.test(type));
  if (wrong !== undefined)
    throw ValidationFailed.at('types', `must be types such as invoice.paid or invoice.*, not "${wrong.slice(0, 40)}"`);
  return types;
}

const present = ({ events, nextAfter, hasMore }: FeedPage): RouteResponse => ({
  status: 200,
  json: `{"data":[${events.map(feedEventJson).join(',')}],"nextAfter":${nextAfter},"hasMore":${hasMore}}`,
});
