import { randomUUID } from 'node:crypto';
import { Client } from '@sendgrid/client';
import type { Config } from '../../config/env';
import { watchedRequest, type Handover } from './handover';
import { jsonWithFiles } from './jsonWithFiles';

export { MailService } from '@sendgrid/mail';

/**
 * SendGrid's client for one call: with a time limit, no redirects, and a record of when the request may have been received. The contents of
 * files are put into the body here, each in its {@link place}: the packages would copy them four times, in one piece.
 */
export class OneCall extends Client {
  /** No text of a message contains it. */
  readonly place = randomUUID();
  readonly #own: object;
  /** The body with its files. */
  #whole = {};

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

  override async request(...given: Parameters<Client['request']>): ReturnType<Client['request']> {
    if (this.files.length > 0) this.#whole = { data: await jsonWithFiles(given[0].body, this.place, this.files) };
    return super.request(...given);
  }

  /** Its types do not say that this is a request of axios. */
  override createRequest(...given: Parameters<Client['createRequest']>): ReturnType<Client['createRequest']> {
    return Object.assign(super.createRequest(...given), this.#own, this.#whole);
  }
}
