import type { Services } from '../shared/services';
import { createEmailTransport, type EmailTransport } from './email';
import { createGateway, type Gateway } from './gateways';
import type { Tools } from './JobRun';
import { LeaseConnection } from './LeaseConnection';

/** Opens what a job needs when the first one needs it: a process that serves one queue needs no other queue's settings. */
export class WorkerTools implements Tools {
  readonly leases: LeaseConnection;
  private transport: EmailTransport | undefined;
  private provider: Gateway | undefined;

  constructor(readonly services: Services) {
    this.leases = new LeaseConnection(services.config.databaseUrl);
  }

  get email(): EmailTransport {
    const { email, worker } = this.services.config;
    return (this.transport ??= createEmailTransport(email, worker.concurrency.email));
  }

  get gateway(): Gateway {
    return (this.provider ??= createGateway(this.services.config.gateway));
  }

  async close(): Promise<void> {
    this.leases.close();
    await this.transport?.close();
  }
}
