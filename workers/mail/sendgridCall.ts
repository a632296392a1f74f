import { Client } from '@sendgrid/client';
import type { Config } from '../../config/env';
import { watchedRequest, type Handover } from './handover';

export { MailService } from '@sendgrid/mail';

/** SendGrid's client for one call: with a time limit, no redirects, and a record of when the request may have been received. */
export class OneCall extends Client {
  readonly #own: object;

  constructor(settings: Config['email'], handover: Handover, signal: AbortSignal) {
    super();
    this.setDefaultRequest('baseUrl', settings.sendgridBaseUrl);
    this.setDefaultHeader('Authorization', `Bearer ${settings.sendgridApiKey}`);
    this.#own = { signal, transport: { request: watchedRequest(handover) } };
  }

  override createRequest(...given: Parameters<Client['createRequest']>): ReturnType<Client['createRequest']> {
    return { ...super.createRequest(...given), ...this.#own };
  }
}
