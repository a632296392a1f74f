import { LRUCache } from 'lru-cache';
import type { Signature } from './Verifier';

/** The receiver's response, or its absence. */
export type Reply = { kind: 'status'; status: number } | { kind: 'hang' } | { kind: 'break' };

/** A request as it arrived. */
export interface ReceivedEvent {
  /** Grows with every request. */
  id: number;
  receivedAt: string;
  path: string;
  /** `webhook-id`, or null. */
  webhookId: string | null;
  /** The number of requests with this `webhook-id` at this path so far, this one included. */
  occurrence: number;
  signature: Signature;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Of the body; null where it is no event. */
  type: string | null;
  /** `invoice:17`; null where there is none. */
  subject: string | null;
  reply: Reply;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Received requests in memory, up to 1,000 and 64 MiB. The oldest are dropped first. */
export class ReceivedEvents {
  private readonly events = new LRUCache<number, ReceivedEvent>({
    max: MAX_EVENTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => 1_024 + body.length,
  });
  private lastId = 0;

  add(given: Omit<ReceivedEvent, 'id' | 'receivedAt' | 'occurrence' | 'type' | 'subject'>): ReceivedEvent {
    const { path, webhookId, body } = given;
    const same = [...this.events.values()].filter((one) => one.webhookId === webhookId && one.path === path);
    const event: ReceivedEvent = {
      ...given,
      ...describe(body),
      id: ++this.lastId,
      receivedAt: new Date().toISOString(),
      occurrence: webhookId === null ? 1 : same.length + 1,
    };
    this.events.set(event.id, event);
    return event;
  }

  /** Newest first. */
  list(): ReceivedEvent[] {
    return [...this.events.values()];
  }

  get(id: number): ReceivedEvent | undefined {
    // Reading must not make it the newest.
    return this.events.peek(id);
  }

  clear(): void {
    this.events.clear();
  }
}

interface Body {
  type?: unknown;
  data?: { subject?: { type: string; id: number } };
}

function describe(text: string): Pick<ReceivedEvent, 'type' | 'subject'> {
  const body = parse(text);
  const subject = body?.data?.subject;
  return {
    type: typeof body?.type === 'string' ? body.type : null,
    subject: subject === undefined ? null : `${subject.type}:${subject.id}`,
  };
}

function parse(text: string): Body | null {
  try {
    return JSON.parse(text) as Body | null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
