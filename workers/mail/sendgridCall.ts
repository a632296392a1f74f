import { randomUUID } from 'node:crypto';
import { Client } from '@sendgrid/client';
import type { Config } from '../../config/env';
import { watchedRequest, type Handover } from './handover';
import { jsonWithFiles } from './jsonWithFiles';

export { MailService } from '@sendgrid/mail';

/**
 * SendGrid's client for one call: with a time limit, no redirects, and a record of when the request may have been received. The contents of
 * files are put into the body while it is sent, each in its {@link place}.
 */
export class OneCall extends Client {
  /** No text of a message contains it. */
  readonly place = randomUUID();
  readonly #own: object;

  constructor(
    settings: Config['email'],
    handover: Handover,
    signal: AbortSignal,
    private readonly files: readonly Buffer[] = [],
  ) {
    super();
    this.setDefaultRequest('baseUrl', settings.sendgridBaseUrl);
    this.setDefaultHeader('Authorization', `Bearer ${settings.sendgridApiKey}`);
    this.#own = { signal, transport: { request: watchedRequest(handover) } };
  }

  override createRequest(...given: Parameters<Client['createRequest']>): ReturnType<Client['createRequest']> {
    // Its type does not say that it is a request of axios.
    const request: ReturnType<Client['createRequest']> & { data?: unknown } = super.createRequest(...given);
    if (this.files.length === 0) return Object.assign(request, this.#own);
    const { length, json } = jsonWithFiles(request.data, this.place, this.files);
    const headers = { ...request.headers, 'Content-Length': String(length) };
    return Object.assign(request, this.#own, { data: json, headers });
  }
}
