import { feedEventJson, newestEvent, readFeed, type FeedPage, type FeedQuery } from '../../shared/kernel/events/feed';
import { MAX_TYPE_PATTERNS, TYPE_PATTERN } from '../../shared/kernel/events/eventTypes';
import { ValidationFailed } from '../../shared/kernel/errors';
import { named, oneLine, orNull, recordId, responseBody, timestamp } from '../../shared/kernel/schemas/fields';
import type { Answer } from '../http/routing/Answer';
import type { Call } from '../http/routing/Call';
import { route, type Route } from '../http/routing/Route';

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
      description: 'Events after this one: `nextAfter` of the page before. `latest`: none yet, only where to begin.',
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
      return present(await readOrWait(call, toFeedQuery(call.query, call.query.after ?? 0)));
    },
  }),
];

/** Reads until there is an event, or the time to wait is over. */
async function readOrWait(
  { services, companyId, place, query: { wait } }: Call<unknown, EventsQuery>,
  from: FeedQuery,
): Promise<FeedPage> {
  const deadline = Date.now() + Math.min(wait, MAX_WAIT_S) * 1_000;
  let hasGone = false;
  for (let after = from.after; ;) {
    const page = await readFeed(services.sql, companyId, { ...from, after });
    const leftMs = deadline - Date.now();
    if (page.events.length > 0 || page.hasMore || leftMs <= 0 || hasGone || services.endings.isClosing) return page;
    after = page.nextAfter;
    hasGone = await place.aside(async (gone) => {
      await services.feedWaits.wait(companyId, after, leftMs, gone);
      return gone.aborted;
    });
  }
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
  const wrong = types.find((type) => !TYPE_PATTERN.test(type));
  if (wrong !== undefined)
    throw ValidationFailed.at('types', `must be types such as invoice.paid or invoice.*, not "${wrong.slice(0, 40)}"`);
  return types;
}

const present = ({ events, nextAfter, hasMore }: FeedPage): Answer => ({
  status: 200,
  json: `{"data":[${events.map(feedEventJson).join(',')}],"nextAfter":${nextAfter},"hasMore":${hasMore}}`,
});
