/** Webhooks: endpoints, deliveries, replays and secrets. */
export { isPublicAddress, literalAddress } from './addresses';
export {
  checkEndpointBody,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateSecret,
  updateWebhookEndpoint,
} from './changeEndpoints';
export {
  DELIVERIES_COUNTED,
  deliveryQuery,
  type DeliveryQuery,
  getDelivery,
  listDeliveries,
  presentWebhookDelivery,
} from './deliveries';
export { deliveryCounter } from './deliveryCounter';
export { type DeliveryError } from './deliveryErrors';
export { endDeliveries } from './endDeliveries';
export {
  presentEndpointWithSecret,
  presentWebhookEndpoint,
  webhookEndpoint,
  webhookEndpointKind,
  webhookEndpointList,
} from './record';
export { removeDeletedEndpoints } from './removeDeletedEndpoints';
export { checkRange, type EventRange, replayDelivery, replayRange, sendTest } from './replay';
export { webhookEndpointEvents, webhookEndpointFacts } from './events';
export { newSigningSecret, signingSecrets } from './signingSecrets';
export { examineSecrets, resealSecrets, type SecretsBatch, type UnreadableEndpoint } from './storedSecrets';
export { wakeEndpoint } from './wakeEndpoint';
export type { DeliveryStatus } from './deliveryStatuses';
export type { DisabledReason } from './WebhookEndpoint';
