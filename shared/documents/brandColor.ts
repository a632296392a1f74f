/** The colour of headings, rules and buttons where the sender has chosen none. */
const ownColor = '#1e3a8a';

/** The lowest contrast of text that everybody can read. Source: WCAG 2.2, 1.4.3 "Contrast (Minimum)". */
const READABLE = 4.5;

/**
 * Returns a brand colour for documents, darkened if needed until it has a contrast of 4.5 with white. Returns the default colour for null
 * and for text that is not `#rrggbb`.
 */
export function documentColor(brandColor: string | null | undefined): string {
  const channels = channelsOf(brandColor ?? '');
  if (channels === null) return ownColor;
  for (let percent = 100; ; percent -= 1) {
    const darkened = channels.map((channel) => Math.round((channel * percent) / 100));
    if (contrastWithWhite(darkened) >= READABLE) return `#${Buffer.from(darkened).toString('hex')}`;
  }
}

/** Returns red, green and blue (0 to 255) of `#rrggbb`, or null for other text. */
function channelsOf(color: string): number[] | null {
  return /^#[\da-f]{6}$/i.test(color) ? [...Buffer.from(color.slice(1), 'hex')] : null;
}

/** Returns the contrast ratio between white and a colour, 1 to 21. Source: WCAG 2.2, "contrast ratio", "relative luminance". */
export function contrastWithWhite(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
