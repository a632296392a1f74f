import { LoopShare } from '../../../shared/engine/fair';
import { Op } from 'sequelize';
import type { Services } from '../../../shared/services';
import { recordEvent, eventType } from '../../../shared/engine/events/recordEvent';
import { Type } from '@sinclair/typebox';
import { Event, WebhookDelivery } from '../../support/models';
import { WebhookEndpoint } from '../../../shared/webhooks/WebhookEndpoint';
import { newSigningSecret } from '../../../shared/webhooks/signingSecrets';
import { LeaseConnection } from '../../../workers/jobs/LeaseConnection';
import type { EntryOutcome } from '../../../workers/jobs/ServedQueue';
import type { EndpointKey } from '../../../workers/webhooks/endpointRow';
import { Dispatcher } from '../../../workers/webhooks/Dispatcher';
import { MovableClock } from '../../support/clock';
import { numberAll } from '../../support/sequencer';
import { createCompany } from '../../support/factories';
import { atEnd, openTestServices, type InstallationOptions } from '../../support/installation';
import { storeEndpoint } from '../../support/webhooks';
import { openSender } from '../../support/workers';

const data = Type.Object({ number: Type.Number() });

/** What one worker process does for endpoints, on a clock that the test moves. Redis is not used unless a test does. */
export class Webhooks {
  readonly secret = newSigningSecret();
  readonly draining = new AbortController();
  readonly stopping = new AbortController();
  private readonly loop = new LoopShare();
  private readonly dispatcher: Dispatcher;

  constructor(
    readonly services: Services,
    readonly clock: MovableClock,
  ) {
    const leases = new LeaseConnection(services.config.databaseUrl);
    atEnd(() => leases.close());
    this.dispatcher = new Dispatcher({ services, leases, sender: openSender(services) }, { slots: 8, places: 12 });
  }

  static async open({ env = {}, ...options }: InstallationOptions = {}): Promise<Webhooks> {
    const clock = new MovableClock();
    const services = await openTestServices({
      env: { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_TIMEOUT_MS: '2000', ...env },
      clock,
      ...options,
    });
    return new Webhooks(services, clock);
  }

  /** Another worker process of the same installation. */
  another(services = this.services): Webhooks {
    return new Webhooks(services, this.clock);
  }

  async company(): Promise<number> {
    const { companyId } = await createCompany(this.services);
    await numberAll(this.services);
    return companyId;
  }

  /** An endpoint that gets what happens from now on. */
  async endpoint(companyId: number, url: string, types = ['*']): Promise<WebhookEndpoint> {
    const { secrets } = this.services;
    const endpoint = await storeEndpoint(this.services, companyId, { url, secret: secrets.seal(this.secret) });
    const newest = await Event.max<number, Event>('seq', { where: { companyId } });
    return endpoint.update({ types: JSON.stringify(types), position: newest });
  }

  /** Events of subjects, in this order; visible in the feed. */
  async events(companyId: number, subjects: readonly number[], type = 'invoice.updated'): Promise<number[]> {
    const event = eventType(type, data, { meaning: 'of a test' });
    await this.services.perform({ companyId, actor: 'test' }, (uow) =>
      subjects.forEach((id, number) => recordEvent(uow, event, id, { number })),
    );
    await numberAll(this.services);
    const rows = await Event.findAll({ where: { companyId, type }, order: [['seq', 'DESC']], limit: subjects.length });
    return rows.map(({ seq }) => Number(seq)).reverse();
  }

  /** One turn, as an entry of the queue leads to. */
  serve({ companyId, id }: EndpointKey): Promise<EntryOutcome> {
    return this.dispatcher.process({
      id: undefined,
      data: { companyId, endpointId: id },
      starts: 1,
      dueAt: new Date(),
      companyId,
      loop: this.loop,
      draining: this.draining.signal,
      stopping: this.stopping.signal,
    });
  }

  /** Turns until nothing is due. */
  async serveAll(endpoint: WebhookEndpoint): Promise<void> {
    for (;;) {
      await this.serve(endpoint);
      const now = await this.reload(endpoint);
      const newest = await Event.max<number, Event>('seq', { where: { companyId: endpoint.companyId } });
      const { companyId, id: endpointId } = endpoint;
      const isDue = { status: 'pending', nextAttemptAt: { [Op.lte]: this.clock.now() } } as const;
      const due = await WebhookDelivery.count({ where: { companyId, endpointId, ...isDue } });
      if (!now.enabled || (newest <= now.position && due === 0)) return;
    }
  }

  /** Moves the clock from one next attempt to the next, until no delivery is pending: how many were retried already does not matter. */
  async serveRetries(endpoint: WebhookEndpoint): Promise<void> {
    const { companyId, id: endpointId } = endpoint;
    for (;;) {
      const pending = { where: { companyId, endpointId, status: 'pending' } } as const;
      const last = await WebhookDelivery.max<Date | null, WebhookDelivery>('nextAttemptAt', pending);
      if (last === null) return;
      this.clock.moveTo(new Date(last));
      await this.serveAll(endpoint);
    }
  }

  reload({ companyId, id }: WebhookEndpoint): Promise<WebhookEndpoint> {
    return WebhookEndpoint.findOne({ where: { companyId, id }, rejectOnEmpty: true });
  }

  deliveries({ companyId, id }: WebhookEndpoint): Promise<WebhookDelivery[]> {
    return WebhookDelivery.findAll({ where: { companyId, endpointId: id }, order: ['id'] });
  }
}
