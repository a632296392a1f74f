/** The victim's median with an attack, at most this many times the one without. */
export const mostTimesSlower = 3;

/**
 * A median below this counts as this. Reads take 2 ms here, of which the scheduler of two cores can double any: what is held
 * against the bound is a delay that a user could notice, and not which of two processes got the core first. The few requests of
 * `--quick` show whether the victim is stopped, also on a machine that does other work.
 */
export const floorMs = { full: 5, quick: 100 };

/** No event loop stands still for longer. Measured on machines that do other work as well; the aim of the code is 50 ms. */
export const mostLagMs = 1_000;

/** Resident memory of the API or the worker, in megabytes (10^6 bytes): what a small container has. */
export const mostMegabytes = 512;
