import { createPaymentLink } from './createPaymentLink';
import { expirePaymentLinks } from './expirePaymentLinks';
import type { JobContract } from './JobContract';
import { sendInvoiceEmail } from './sendInvoiceEmail';
import { syncPaymentLink } from './syncPaymentLink';

/** Every kind of job; a handler for each has to exist in workers/registry.ts or it does not compile. */
export const jobContracts = { sendInvoiceEmail, createPaymentLink, syncPaymentLink, expirePaymentLinks };

export type JobName = keyof typeof jobContracts;
type PayloadOf<C> = C extends JobContract<string, infer P, unknown> ? P : never;
type ResultOf<C> = C extends JobContract<string, never, infer R> ? R : C extends { result?: infer R } ? R : never;
export type JobPayload<N extends JobName> = PayloadOf<(typeof jobContracts)[N]>;
export type JobResult<N extends JobName> = NonNullable<ResultOf<(typeof jobContracts)[N]>>;
