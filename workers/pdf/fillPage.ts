/** The result of {@link fillPage}. */
export type FillOutcome = 'filled' | 'unreadable image';

/** A font for {@link addFonts}. */
export interface FontArguments {
  family: string;
  weight: string;
  /** The file in base64. */
  source: string;
  unicodeRange: string;
}

/**
 * Adds fonts to the page and waits until they are loaded. The text is a function that runs inside the page, on its document, by
 * `Runtime.callFunctionOn` of the DevTools protocol. The page's own scripts stay off.
 */
export const addFonts = `async function (fonts) {
  await Promise.all(fonts.map(({ family, weight, source, unicodeRange }) => {
    const font = new FontFace(family, Uint8Array.from(atob(source), (byte) => byte.charCodeAt(0)), { weight, unicodeRange });
    this.fonts.add(font);
    return font.load();
  }));
}`;

/** Replaces the page's invoice by the next one, an `InvoicePage`, and waits for its images. Runs inside the page as {@link addFonts} does. */
export const fillPage = `async function (page) {
  this.documentElement.lang = page.language;
  this.documentElement.dir = page.direction;
  this.title = page.title;
  this.getElementById('invoice').textContent = page.style;
  this.body.innerHTML = page.body;
  if (this.images.length === 0) return 'filled';
  if (page.logo !== null) {
    const bytes = Uint8Array.from(atob(page.logo), (byte) => byte.charCodeAt(0));
    this.images[0].src = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
  }
  const decoded = await Promise.allSettled([...this.images].map((image) => image.decode()));
  if (page.logo !== null) URL.revokeObjectURL(this.images[0].src);
  return decoded.every(({ status }) => status === 'fulfilled') ? 'filled' : 'unreadable image';
}`;
