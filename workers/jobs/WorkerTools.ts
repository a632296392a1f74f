import type { Services } from '../../shared/services';
import { createEmailTransport, MailPause, type EmailTransport } from '../mail';
import { openGateways } from '../gateways';
import type { Tools } from './JobRun';
import { WebhookSender } from '../webhooks/WebhookSender';
import { LeaseConnection } from './LeaseConnection';
import { openRateLimits } from './ProviderRateLimit';
import { Rounds } from './Rounds';

/** The tools that the jobs of a process share. The first e-mail opens the mail transport: other queues need no settings of it. */
export class WorkerTools implements Tools {
  readonly leases = new LeaseConnection(this.services.config.databaseUrl);
  readonly mailPause = new MailPause(this.services.log);
  readonly rateLimits = openRateLimits(this.services);
  readonly gateways = openGateways(this.services.config.gateway, (name, ...waiting) =>
    this.rateLimits[name].turn(...waiting),
  );
  readonly rounds = new Rounds();
  readonly sender = new WebhookSender({ ...this.services.config.webhooks, clock: this.services.clock });
  private transport: EmailTransport | undefined;

  constructor(readonly services: Services) {}

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
