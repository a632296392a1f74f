import type { Context } from 'koa';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Makes text safe inside HTML, attributes included. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

/** Returns a timestamp in UTC to the second; other text is unchanged. */
export function time(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toISOString().replace('T', ' ').slice(0, 19);
}

const baseStyle = `
  :root { color-scheme: light; --ink: #1b2733; --soft: #55616d; --line: #e3e8ec; --accent: #1762d6; }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 1000px; padding: 28px 20px; background: #f3f6f9; color: var(--ink);
    font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
  header { display: flex; align-items: baseline; gap: 12px; margin-bottom: 16px; }
  h1 { margin: 0; font-size: 22px; overflow-wrap: anywhere; }
  .soft { color: var(--soft); }
  a { color: var(--accent); text-decoration: none; }
  .card { background: #fff; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; margin-bottom: 18px; }
  .row { display: grid; gap: 16px; padding: 12px 18px; color: inherit; border-bottom: 1px solid var(--line); }
  .row:last-child { border-bottom: 0; }
  .row:hover { background: #f7fafd; }
  .row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .row b { font-weight: 600; }
  @media (max-width: 640px) { body { padding: 16px 12px; } }
  .empty { padding: 60px 20px; text-align: center; color: var(--soft); }
  dl { display: grid; grid-template-columns: 90px 1fr; gap: 4px 16px; margin: 0; padding: 16px 18px; }
  dt { color: var(--soft); }
  dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
  pre { margin: 0; padding: 16px 18px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
  h2 { margin: 0 0 8px; font-size: 13px; font-weight: 600; color: var(--soft); text-transform: uppercase; letter-spacing: .04em; }`;

/** Returns a page of a stand-in. `style` is for its own elements. */
export const page = (title: string, style: string, content: string): string =>
  htmlDocument(title, baseStyle + style, content);

/** Returns an HTML document. */
export function htmlDocument(title: string, style: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    <style>${style}</style>
  </head>
  <body>
    ${content}
  </body>
</html>
`;
}

/** Returns the page for an unknown record. `back` is a link. */
export const unknownPage = (title: string, back: string): string =>
  page(title, '', `<p>${back}</p><div class="card"><p class="empty">${title}</p></div>`);

/** Responds with a page under a Content-Security-Policy. */
export function respondWithHtml(ctx: Context, policy: string, body: string): void {
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'html';
  ctx.body = body;
}
