import type { Services } from '../../shared/services';
import { createEmailTransport, MailPause, type EmailTransport } from '../mail';
import { openGateways, type Gateways } from '../gateways';
import type { RateLimits, Tools } from './JobRun';
import { WebhookSender } from '../webhooks/WebhookSender';
import { LeaseConnection } from './LeaseConnection';
import { openRateLimits } from './ProviderRateLimit';
import { Rounds } from './Rounds';

/** The tools that the jobs of a process share. The first e-mail opens the mail transport: other queues need no settings of it. */
export class WorkerTools implements Tools {
  readonly leases: LeaseConnection;
  readonly mailPause: MailPause;
  readonly gateways: Gateways;
  readonly rateLimits: RateLimits;
  readonly rounds = new Rounds();
  readonly sender: WebhookSender;
  private transport: EmailTransport | undefined;

  constructor(readonly services: Services) {
    this.leases = new LeaseConnection(services.config.databaseUrl);
    this.mailPause = new MailPause(services.log);
    this.rateLimits = openRateLimits(services);
    this.sender = new WebhookSender({ ...services.config.webhooks, clock: services.clock });
    this.gateways = openGateways(services.config.gateway, (name, signal) => this.rateLimits[name].turn(signal));
  }

  get email(): EmailTransport {
    const { email, worker } = this.services.config;
    return (this.transport ??= createEmailTransport(email, worker.concurrency.email));
  }

  async close(): Promise<void> {
    this.leases.close();
    this.sender.close();
    await this.transport?.close();
  }
}
