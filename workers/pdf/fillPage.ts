/** What {@link fillPage} answers. */
export type FillOutcome = 'filled' | 'unreadable image';

/** What {@link fillPage} takes: the changing parts of the page, and the fonts that it has not loaded yet. */
export interface FillArguments {
  language: string;
  title: string;
  style: string;
  body: string;
  fonts: { family: string; weight: string; source: string; unicodeRange: string }[];
}

/**
 * Runs inside the page, as the function of the DevTools protocol's `Runtime.callFunctionOn` on its document; the page's own
 * scripts stay off. Puts one invoice in the place of the one before, and waits for fonts and images only where there are
 * new ones.
 */
export const fillPage = `async function (page) {
  const loading = page.fonts.map(({ family, weight, source, unicodeRange }) => {
    const font = new FontFace(family, \`url(\${source})\`, { weight, unicodeRange });
    this.fonts.add(font);
    return font.load();
  });
  if (loading.length > 0) await Promise.all(loading);
  this.documentElement.lang = page.language;
  this.title = page.title;
  this.getElementById('invoice').textContent = page.style;
  this.body.innerHTML = page.body;
  if (this.images.length === 0) return 'filled';
  const decoded = await Promise.allSettled([...this.images].map((image) => image.decode()));
  return decoded.every(({ status }) => status === 'fulfilled') ? 'filled' : 'unreadable image';
}`;
