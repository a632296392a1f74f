/** The victim's median during an attack may be at most this many times its median without one. */
export const mostTimesSlower = 3;

/**
 * A median below this counts as this. Reads take 2 ms here, of which the scheduler of two cores can double any: what is held
 * against the bound is a delay that a user could notice, and not which of two processes got the core first. The two or three requests
 * of each kind with `--quick` show whether the victim is stopped, also by processes that have just started on a busy machine.
 */
export const floorMs = { full: 5, quick: 1_200 };

/** The longest allowed delay of an event loop, in milliseconds. The code aims at 50 ms; the machine may do other work as well. */
export const mostLagMs = 1_000;

/** The most resident memory of the API or the worker, in megabytes (10^6 bytes), as in a small container. */
export const mostMegabytes = 512;
