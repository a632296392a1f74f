import type { InferCreationAttributes } from 'sequelize';
import type { Services } from '../../shared/services';
import { createWebhookEndpoint } from '../../shared/webhooks/changeEndpoints';
import type { WebhookEndpointInput, WebhookEndpointWithSecret } from '../../shared/webhooks/record';
import { newSigningSecret } from '../../shared/webhooks/signingSecrets';
import { WebhookDelivery } from './models';
import { WebhookEndpoint } from '../../shared/webhooks/WebhookEndpoint';

/** An endpoint as it is stored: of all events, at an address that takes none unless another is given. */
export function storeEndpoint(
  { secrets, clock }: Services,
  companyId: number,
  changes: Partial<Pick<WebhookEndpoint, 'url' | 'secret' | 'previousSecret' | 'previousSecretUntil'>> = {},
): Promise<WebhookEndpoint> {
  const now = clock.now();
  return WebhookEndpoint.create({
    companyId,
    url: 'http://127.0.0.1:1/',
    types: '["*"]',
    description: '',
    enabled: true,
    disabledReason: null,
    secret: secrets.seal(newSigningSecret()),
    previousSecret: null,
    previousSecretUntil: null,
    position: 0,
    leaseUntil: null,
    failingSince: null,
    softDelete: false,
    createdAt: now,
    updatedAt: now,
    ...changes,
  });
}

/** An endpoint made by the use-case, with its secret. */
export function createEndpoint(
  services: Services,
  companyId: number,
  input: Partial<WebhookEndpointInput> = {},
): Promise<WebhookEndpointWithSecret> {
  return services.perform({ companyId, actor: 'test' }, (uow) =>
    createWebhookEndpoint(uow, { url: 'https://receiver.example/events', ...input }, services),
  );
}

/** A delivery as it is stored: of no event of the feed, pending and due, unless changed. */
export function storeDelivery(
  { clock }: Services,
  endpoint: { companyId: number; endpointId: number },
  changes: Partial<InferCreationAttributes<WebhookDelivery>> = {},
): Promise<WebhookDelivery> {
  const now = clock.now();
  return WebhookDelivery.create({
    ...endpoint,
    eventId: 1,
    type: 'invoice.paid',
    isReplay: false,
    status: 'pending',
    nextAttemptAt: now,
    responseStatus: null,
    responseBody: null,
    errorCode: null,
    durationMs: null,
    createdAt: now,
    endedAt: null,
    ...changes,
  });
}
