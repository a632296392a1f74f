import { isOneOfTypes, type Numbered } from '../../shared/engine/events';
import { type EndpointRef, padded, placeholders } from '../../shared/engine/db';
import type { Services } from '../../shared/services';
import { wakeEndpoint } from '../../shared/webhooks';

/** An endpoint is woken at most once in this time: the first of many events wakes it, and the last one. */
const PAUSE_MS = 100;
/** The pause is at least this for each endpoint of the company: a wake costs a worker about a millisecond. */
const PAUSE_PER_ENDPOINT_MS = 20;

type WakerServices = Pick<Services, 'sql' | 'log' | 'queues' | 'pauses'>;

/** Wakes the webhook endpoints that want new events of the feeds. {@link scanEndpoints} finds missed ones. */
export class EndpointWaker {
  /** Recently woken endpoints, and whether they are to be woken once more. */
  private readonly paused = new Map<number, { next: (() => void) | null }>();

  constructor(private readonly services: WakerServices) {}

  /** Wakes those that want one of the events. Never throws. */
  async numbered({ newest, types }: Numbered): Promise<void> {
    const { sql, pauses, log } = this.services;
    try {
      // Entries would pile up.
      if (await pauses.has('webhook')) return;
      const endpoints = await endpointsOf(sql, [...newest.keys()]);
      const many = new Map<number, number>();
      for (const { companyId } of endpoints) many.set(companyId, (many.get(companyId) ?? 0) + 1);
      for (const { companyId, endpointId, types: patterns } of endpoints) {
        const wanted = JSON.parse(patterns) as string[];
        if (![...(types.get(companyId) ?? [])].some((type) => isOneOfTypes(wanted, type))) continue;
        const pauseMs = Math.max(PAUSE_MS, PAUSE_PER_ENDPOINT_MS * (many.get(companyId) ?? 0));
        this.wake({ companyId, endpointId }, `event-${newest.get(companyId) ?? 0}`, pauseMs);
      }
    } catch (error) {
      log.debug({ err: error }, 'webhook endpoints could not be woken; the next scan does it');
    }
  }

  private wake(endpoint: EndpointRef, reason: string, pauseMs: number): void {
    const pause = this.paused.get(endpoint.endpointId);
    if (pause !== undefined) {
      pause.next = () => this.wake(endpoint, reason, pauseMs);
      return;
    }
    const begun: { next: (() => void) | null } = { next: null };
    this.paused.set(endpoint.endpointId, begun);
    void wakeEndpoint(this.services, endpoint, reason);
    setTimeout(() => {
      this.paused.delete(endpoint.endpointId);
      begun.next?.();
    }, pauseMs).unref();
  }
}

function endpointsOf(
  sql: WakerServices['sql'],
  companyIds: readonly number[],
): Promise<(EndpointRef & { types: string })[]> {
  const asked = padded(companyIds);
  return sql.rows(
    `SELECT companyId, id AS endpointId, types FROM webhook_endpoints
      FORCE INDEX (webhook_endpoints_watched)
      WHERE watched = 1 AND enabled = 1 AND softDelete = 0 AND companyId IN (${placeholders(asked.length)})`,
    asked,
  );
}
