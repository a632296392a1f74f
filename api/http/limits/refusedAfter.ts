/**
 * The delay of a refusal that costs as much as a small request, in milliseconds. It bounds the refusals of one connection: without the delay,
 * a refused client retries immediately, and a flood of refusals slows other companies.
 */
export const REFUSED_AFTER_MS = 500;
