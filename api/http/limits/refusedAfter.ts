/**
 * The delay of a refusal that costs as much as a small request, in milliseconds. It bounds how many refusals a connection gets: without it
 * a client that is refused asks again at once.
 */
export const REFUSED_AFTER_MS = 500;
