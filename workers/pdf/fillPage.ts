/** What {@link fillPage} returns. */
export type FillOutcome = 'filled' | 'unreadable image';

/** What {@link fillPage} takes: the parts of the page that change. */
export interface FillArguments {
  language: string;
  title: string;
  style: string;
  body: string;
}

/** One of the fonts that {@link addFonts} takes. */
export interface FontArguments {
  family: string;
  weight: string;
  source: string;
  unicodeRange: string;
}

/**
 * Runs inside the page, as the function of the DevTools protocol's `Runtime.callFunctionOn` on its document; the page's own
 * scripts stay off. Adds fonts, and waits until they are loaded.
 */
export const addFonts = `async function (fonts) {
  await Promise.all(fonts.map(({ family, weight, source, unicodeRange }) => {
    const font = new FontFace(family, \`url(\${source})\`, { weight, unicodeRange });
    this.fonts.add(font);
    return font.load();
  }));
}`;

/** Runs inside the page as {@link addFonts} does. Replaces one invoice by the next, and waits for its images. */
export const fillPage = `async function (page) {
  this.documentElement.lang = page.language;
  this.title = page.title;
  this.getElementById('invoice').textContent = page.style;
  this.body.innerHTML = page.body;
  if (this.images.length === 0) return 'filled';
  const decoded = await Promise.allSettled([...this.images].map((image) => image.decode()));
  return decoded.every(({ status }) => status === 'fulfilled') ? 'filled' : 'unreadable image';
}`;
