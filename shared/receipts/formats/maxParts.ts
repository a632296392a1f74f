/** Chunks or segments of one picture. Programs write some hundreds; a million of them would cost a second to walk through. */
export const MAX_PARTS = 20_000;
