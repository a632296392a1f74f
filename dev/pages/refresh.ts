import { createHash } from 'node:crypto';

/**
 * Adds new rows to the list of a page, and removes those that no longer exist. Other rows are unchanged, so that the
 * focus and the scroll position stay, which a reload would lose.
 */
const script = `
  const byAddress = (rows) => new Map([...rows.querySelectorAll('.row')].map((row) => [row.getAttribute('href'), row]));
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch('/').catch((error) => console.warn('the page cannot be reached', error));
    if (!response?.ok) return;
    const newest = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [list, newList] = [document.querySelector('#list'), newest.querySelector('#list')];
    const [known, present] = [byAddress(list), byAddress(newList)];
    for (const [address, row] of known) if (!present.has(address)) row.remove();
    list.prepend(...[...present].filter(([address]) => !known.has(address)).map(([, row]) => row));
    for (const now of document.querySelectorAll('[data-live]')) {
      const then = newest.getElementById(now.id);
      now.hidden = then.hidden;
      if (now.textContent !== then.textContent) now.textContent = then.textContent;
    }
  }, 2000);`;

/** Keeps `#list` and the elements with an id and `data-live` current. The rows are links with the class `row`. */
export const refreshScript = `<script>${script}</script>`;

/** The one script that such a page may run, for its Content-Security-Policy. */
export const refreshHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
