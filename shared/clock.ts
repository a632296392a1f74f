/** Where time comes in. Tests and operators (`--as-of`) set another one. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
