/** The limit of the victim's median during an attack, as a multiple of its median without one. */
export const mostTimesSlower = 3;

/**
 * Lower medians count as this. Reads take 2 ms, which scheduling on two cores can double: the limit is for delays that
 * a user could notice. With `--quick` there are two or three requests of each kind, on processes that may have just
 * started on a busy machine: they only show whether the victim is blocked.
 */
export const floorMs = { full: 5, quick: 1_200 };

/** The longest allowed delay of an event loop, in milliseconds. The code aims at 50 ms; the machine may be busy. */
export const mostLagMs = 1_000;

/** The most resident memory of the API or the worker, in megabytes (10^6 bytes), as in a small container. */
export const mostMegabytes = 512;
