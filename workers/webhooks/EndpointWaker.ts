import type { Numbered } from '../../shared/kernel/events/numberEvents';
import { isOneOfTypes } from '../../shared/kernel/events/eventTypes';
import type { EndpointRef } from '../../shared/kernel/database/unitOfWork';
import { padded, placeholders } from '../../shared/kernel/database/sql';
import type { Services } from '../../shared/kernel/services';
import { wakeEndpoint } from '../../shared/webhooks';

/** An endpoint is woken at most once in this time: of many events the first one wakes it, and the last one. */
const PAUSE_MS = 100;

type WakerServices = Pick<Services, 'sql' | 'log' | 'queues' | 'pauses'>;

/** Wakes the webhook endpoints that want new events of the feeds. {@link scanEndpoints} finds those that were missed. */
export class EndpointWaker {
  /** Endpoints that were woken lately, and whether they are to be woken once more. */
  private readonly paused = new Map<number, { next: (() => void) | null }>();

  constructor(private readonly services: WakerServices) {}

  /** Wakes those that want one of the events. Never throws. */
  async numbered({ newest, types }: Numbered): Promise<void> {
    const { sql, pauses, log } = this.services;
    try {
      // Entries would pile up.
      if (await pauses.has('webhook')) return;
      for (const { companyId, endpointId, types: patterns } of await endpointsOf(sql, [...newest.keys()])) {
        const wanted = JSON.parse(patterns) as string[];
        if (![...(types.get(companyId) ?? [])].some((type) => isOneOfTypes(wanted, type))) continue;
        this.wake({ companyId, endpointId }, `event-${newest.get(companyId) ?? 0}`);
      }
    } catch (error) {
      log.debug({ err: error }, 'webhook endpoints could not be woken; the next scan does it');
    }
  }

  private wake(endpoint: EndpointRef, reason: string): void {
    const pause = this.paused.get(endpoint.endpointId);
    if (pause !== undefined) {
      pause.next = () => this.wake(endpoint, reason);
      return;
    }
    const begun: { next: (() => void) | null } = { next: null };
    this.paused.set(endpoint.endpointId, begun);
    void wakeEndpoint(this.services, endpoint, reason);
    setTimeout(() => {
      this.paused.delete(endpoint.endpointId);
      begun.next?.();
    }, PAUSE_MS).unref();
  }
}

function endpointsOf(
  sql: WakerServices['sql'],
  companyIds: readonly number[],
): Promise<(EndpointRef & { types: string })[]> {
  const asked = padded(companyIds);
  return sql.rows(
    `SELECT companyId, id AS endpointId, types FROM webhook_endpoints
      WHERE companyId IN (${placeholders(asked.length)}) AND enabled = 1 AND softDelete = 0`,
    asked,
  );
}
