/**
 * The most chunks or segments of one picture. Programs write chunks of 8 KiB or more, ffmpeg of 4 KiB: 10 MiB are 2,553 of them. To walk
 * through a million would take a second.
 */
export const MAX_PARTS = 3_000;
