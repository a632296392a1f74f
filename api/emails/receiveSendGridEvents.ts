import type { Middleware } from 'koa';
import { EmailReports, MAX_EVENTS, readSendGridEvents, sendGridCheck } from '../../shared/emails';
import { ValidationFailed } from '../../shared/engine/errors';
import { OccasionalWarning } from '../../shared/engine/log';
import type { Services } from '../../shared/services';
import { SHARED_FLOWS } from '../http/routing/inTurn';
import type { ReceiveCallback } from '../http/routing/receiveCallback';

/** Receives signed events of SendGrid's Event Webhook and processes each exactly once. Events of other e-mails are ignored. */
export function receiveSendGridEvents(services: Services, receive: ReceiveCallback): Middleware {
  const { config, clock, log } = services;
  const check = sendGridCheck(config.email.sendgridWebhookPublicKey);
  const reports = new EmailReports(services);
  const refused = new OccasionalWarning(log, 'a callback is refused: it is not authentic');
  return (ctx) => {
    const passes = (reason: string | null): boolean => {
      if (reason !== null) refused.note({ provider: 'sendgrid', reason, ip: ctx.ip });
      return reason === null;
    };
    return receive(ctx, {
      flow: SHARED_FLOWS.mailCallbacks,
      headerProof: () => (passes(check.headers(ctx.headers, clock.now())) ? 'unproven' : 'refused'),
      isAuthentic: (bytes) => passes(check.signature(bytes, ctx.headers)),
      take: (body) => reports.receive('sendgrid', readSendGridEvents(listOf(body)), String(ctx.state.requestId)),
    });
  };
}

/** @throws {ValidationFailed} for anything but a list of at most {@link MAX_EVENTS} events. */
function listOf(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw ValidationFailed.at('body', 'must be a list of events');
  if (body.length > MAX_EVENTS) throw ValidationFailed.at('body', `must have at most ${MAX_EVENTS} events`);
  return body;
}
