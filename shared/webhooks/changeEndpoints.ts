import { eventTypes } from '../eventTypes';
import { isOneOfTypes, newestEvent, recordEvent } from '../engine/events';
import { NotFound, SecretsUnavailable, ValidationFailed } from '../engine/errors';
import type { UnitOfWork } from '../engine/db';
import { changeRecord, deleteRecord, lockRecord, readRecord, requireRoom, saveChanged } from '../engine/records';
import type { SecretBox } from '../engine/secrets';
import type { Services } from '../services';
import { isPublicAddress, literalAddress } from './addresses';
import { endDeliveries } from './endDeliveries';
import { webhookEndpointEvents, webhookEndpointFacts } from './events';
import {
  webhookEndpoint,
  webhookEndpointKind,
  type WebhookEndpointChanges,
  type WebhookEndpointInput,
  type WebhookEndpointRecord,
  type WebhookEndpointWithSecret,
} from './record';
import { newSigningSecret } from './signingSecrets';
import { WebhookEndpoint } from './WebhookEndpoint';

/** How long a secret signs after it was replaced. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** The services that endpoints need beside the database. */
type Tools = Pick<Services, 'secrets' | 'config'>;

/** @throws {ValidationFailed} for types that no event has. */
export function checkEndpointBody({ types = [] }: WebhookEndpointChanges): void {
  const unknown = types.findIndex((pattern) => !eventTypes.some(({ type }) => isOneOfTypes([pattern], type)));
  if (unknown >= 0) throw ValidationFailed.at(`types/${unknown}`, 'is not the type of any event');
}

/**
 * Creates an endpoint, and returns it with its secret, which is never returned again. The endpoint receives events from now on. `secret` is
 * for a receiver that already has one.
 * @throws {ValidationFailed} for a private address; {@link LimitReached}; {@link SecretsUnavailable}.
 */
export async function createWebhookEndpoint(
  uow: UnitOfWork,
  { secret = newSigningSecret(), ...input }: WebhookEndpointInput & { secret?: string },
  { secrets, config }: Tools,
): Promise<WebhookEndpointWithSecret> {
  const { companyId, now, transaction, sql } = uow;
  checkAddress(input.url, config.webhooks.allowPrivate);
  const bounded = { limit: 'webhook_endpoints', table: 'webhook_endpoints', many: 'webhook endpoints' };
  await requireRoom(uow, { ...bounded, ended: { text: 'softDelete', values: [] } }, config.stored.webhookEndpoints);
  const { enabled, ...columns } = webhookEndpoint.newColumns(input);
  const endpoint = await WebhookEndpoint.create(
    {
      ...columns,
      companyId,
      enabled: enabled === 1,
      disabledReason: null,
      secret: secrets.seal(secret),
      previousSecret: null,
      previousSecretUntil: null,
      position: await newestEvent(sql, companyId),
      leaseUntil: null,
      failingSince: null,
      softDelete: false,
      createdAt: now,
      updatedAt: now,
    },
    { transaction },
  );
  recordEvent(uow, webhookEndpointEvents.created, endpoint.id, webhookEndpointFacts(endpoint));
  return { ...(await readRecord(sql, companyId, webhookEndpointKind, endpoint.id)), secret };
}

/**
 * Changes the given fields. A disabled endpoint receives nothing, and its pending deliveries end. An endpoint that is enabled again
 * receives events from then on.
 * @throws {ValidationFailed} for a private address; {@link NotFound}; {@link PreconditionFailed}.
 */
export async function updateWebhookEndpoint(
  uow: UnitOfWork,
  endpointId: number,
  changes: WebhookEndpointChanges,
  ifMatch: string | null,
  { config }: Tools,
): Promise<WebhookEndpointRecord> {
  if (changes.url !== undefined) checkAddress(changes.url, config.webhooks.allowPrivate);
  const replaced: string[] = [];
  return changeRecord(uow, webhookEndpointKind, endpointId, {
    ifMatch,
    replaced,
    async apply(found) {
      const { url, enabled: wasEnabled } = found;
      const { enabled: _, ...columns } = webhookEndpoint.toColumns(changes);
      const { enabled = wasEnabled } = changes;
      found.set({ ...columns, enabled });
      if (found.url !== url) replaced.push('url');
      if (enabled && !wasEnabled) await resume(uow, found);
      if (!enabled && wasEnabled) await stop(uow, found);
    },
  });
}

/**
 * Soft-deletes an endpoint: it receives nothing more, and its pending deliveries end.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteWebhookEndpoint(uow: UnitOfWork, endpointId: number, ifMatch: string | null): Promise<void> {
  return deleteRecord(uow, webhookEndpointKind, endpointId, ifMatch, async (found) => {
    found.enabled = false;
    await stop(uow, found);
  });
}

/**
 * Gives the endpoint a new secret, and returns it with the endpoint. The one before signs too for 24 hours, unless it cannot be
 * decrypted; an earlier one ends.
 * @throws {NotFound}; {@link SecretsUnavailable}.
 */
export async function rotateSecret(
  uow: UnitOfWork,
  endpointId: number,
  secrets: SecretBox,
): Promise<WebhookEndpointWithSecret> {
  const secret = newSigningSecret();
  const found = await lockRecord(uow, webhookEndpointKind, endpointId);
  if (found === null) throw new NotFound(webhookEndpointKind.name);
  await saveChanged(uow, webhookEndpointKind, found, (endpoint) => {
    const isUsable = canOpen(secrets, endpoint.secret);
    endpoint.set({
      secret: secrets.seal(secret),
      previousSecret: isUsable ? endpoint.secret : null,
      previousSecretUntil: isUsable ? new Date(uow.now.getTime() + PREVIOUS_SECRET_MS) : null,
    });
  });
  recordEvent(uow, webhookEndpointEvents.secretRotated, endpointId, webhookEndpointFacts(found));
  return { ...(await readRecord(uow.sql, uow.companyId, webhookEndpointKind, endpointId)), secret };
}

/** @throws {ValidationFailed} for a URL whose host is an address that is not public. Names are checked when workers connect. */
function checkAddress(url: string, allowPrivate: boolean): void {
  if (allowPrivate) return;
  const parsed = new URL(url);
  const address = literalAddress(parsed);
  const isLocal = address === null ? /(?:^|\.)localhost\.?$/.test(parsed.hostname) : !isPublicAddress(address);
  if (isLocal) throw ValidationFailed.at('url', 'must have a public address');
}

/** Events during the disabled time are not sent. A turn that was begun before records nothing more. */
async function resume({ sql, companyId }: UnitOfWork, endpoint: WebhookEndpoint): Promise<void> {
  endpoint.set({ run: endpoint.run + 1, leaseUntil: null, watched: true });
  endpoint.set({ position: await newestEvent(sql, companyId), disabledReason: null, failures: 0, failingSince: null });
}

/** A worker that is serving the endpoint still records sent deliveries. */
async function stop(uow: UnitOfWork, endpoint: WebhookEndpoint): Promise<void> {
  const { companyId } = uow;
  if (await endDeliveries(uow, endpoint.id)) uow.dueEndpoints.push({ companyId, endpointId: endpoint.id });
}

function canOpen(secrets: SecretBox, sealed: string): boolean {
  try {
    return secrets.open(sealed) !== '';
  } catch (error) {
    if (error instanceof SecretsUnavailable) return false;
    throw error;
  }
}
