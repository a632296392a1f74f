import { oneOf } from '../engine/schemas';

/**
 * `queued`: waits for its job. `sending`: recorded before the provider is called. `sent`: accepted by the provider. The rest of the
 * way is what the provider reports. `failed`: not sent, or dropped by the provider after it was accepted. `uncertain`: handed
 * over and not confirmed.
 */
export const emailStatuses = [
  ...(['queued', 'sending', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'uncertain'] as const),
] as const;
export type EmailStatus = (typeof emailStatuses)[number];

export const emailKinds = ['invoice', 'reminder', 'credit_note'] as const;
export type EmailKind = (typeof emailKinds)[number];

/** The schema of a status. */
export const emailStatus = oneOf('EmailStatus', emailStatuses);
export const emailKind = oneOf('EmailKind', emailKinds);
