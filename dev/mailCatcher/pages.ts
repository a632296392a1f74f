import { createHash } from 'node:crypto';
import type { MessageSummary, ParsedMessage } from './ParsedMessages';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

const style = `
  :root { color-scheme: light; --ink: #1b2733; --soft: #55616d; --line: #e3e8ec; --accent: #1762d6; }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 1000px; padding: 28px 20px; background: #f3f6f9; color: var(--ink);
    font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
  header { display: flex; align-items: baseline; gap: 12px; margin-bottom: 16px; }
  h1 { margin: 0; font-size: 22px; overflow-wrap: anywhere; }
  .soft { color: var(--soft); }
  a { color: var(--accent); text-decoration: none; }
  .card { background: #fff; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; margin-bottom: 18px; }
  .row { display: grid; grid-template-columns: 220px 1fr auto; gap: 16px; padding: 12px 18px; color: inherit;
    border-bottom: 1px solid var(--line); }
  .row:last-child { border-bottom: 0; }
  .row:hover { background: #f7fafd; }
  .row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .row b { font-weight: 600; }
  @media (max-width: 640px) {
    body { padding: 16px 12px; }
    .row { grid-template-columns: 1fr auto; gap: 2px 12px; }
    .row .subject { grid-column: 1 / -1; grid-row: 1; white-space: normal; overflow-wrap: anywhere; }
  }
  .empty { padding: 60px 20px; text-align: center; color: var(--soft); }
  dl { display: grid; grid-template-columns: 90px 1fr; gap: 4px 16px; margin: 0; padding: 16px 18px; }
  dt { color: var(--soft); }
  dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
  iframe { display: block; width: 100%; height: 640px; border: 0; background: #fff; }
  pre { margin: 0; padding: 16px 18px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
  h2 { margin: 0 0 8px; font-size: 13px; font-weight: 600; color: var(--soft); text-transform: uppercase; letter-spacing: .04em; }
  .files { display: flex; flex-wrap: wrap; gap: 10px; padding: 14px 18px; }
  .files a { padding: 6px 12px; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }`;

const time = (iso: string) => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toISOString().replace('T', ' ').slice(0, 19);
};

const size = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`);

function person(mailbox: MessageSummary['from']): string {
  if (!mailbox) return '(nobody)';
  return mailbox.name === '' ? mailbox.address : `${mailbox.name} <${mailbox.address}>`;
}

const people = (summary: MessageSummary) => summary.to.map(person).join(', ') || summary.envelope.to.join(', ');

/**
 * Adds new messages to the list and takes away those that are gone. What stays is not touched, so that a reader keeps the
 * focus and the place; a page that loads itself again takes both.
 */
const refresh = `
  const byAddress = (rows) => new Map([...rows.querySelectorAll('.row')].map((row) => [row.getAttribute('href'), row]));
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch('/').catch((error) => console.warn('the inbox cannot be reached', error));
    if (!response?.ok) return;
    const newest = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [list, newList] = [document.querySelector('#messages'), newest.querySelector('#messages')];
    const [known, present] = [byAddress(list), byAddress(newList)];
    for (const [address, row] of known) if (!present.has(address)) row.remove();
    list.prepend(...[...present].filter(([address]) => !known.has(address)).map(([, row]) => row));
    for (const part of ['#count', '#none']) {
      const [now, then] = [document.querySelector(part), newest.querySelector(part)];
      now.hidden = then.hidden;
      if (now.textContent !== then.textContent) now.textContent = then.textContent;
    }
  }, 2000);`;

/** The one script that the inbox may run, for its Content-Security-Policy. */
export const refreshHash = `'sha256-${createHash('sha256').update(refresh).digest('base64')}'`;

/** The inbox, newest first, which shows new messages by itself. */
export function inboxPage(messages: MessageSummary[], total: number): string {
  const rows = messages.map(
    (message) => `<a class="row" href="/messages/${message.id}">
        <span>${escape(people(message))}</span>
        <span class="subject"><b>${escape(message.subject || '(no subject)')}</b>
          <span class="soft">from ${escape(message.from?.name || person(message.from))}${
            message.attachments.length > 0 ? ` · ${escape(message.attachments.map((a) => a.filename).join(', '))}` : ''
          }</span></span>
        <time class="soft">${time(message.receivedAt)} UTC</time>
      </a>`,
  );
  const shown = messages.length < total ? `the newest ${messages.length} of ${total}` : String(total);
  return page(
    'Inbox',
    `<header><h1>Inbox</h1><span class="soft" id="count" role="status">${shown} caught here, none delivered</span></header>
    <div class="card" id="messages">${rows.join('\n')}
      <p class="empty" id="none"${rows.length > 0 ? ' hidden' : ''}>Nothing here yet. Messages show up by themselves.</p></div>
    <script>${refresh}</script>`,
  );
}

/** One message: who, what, its HTML part in a frame that can do nothing, its text, its attachments. */
export function messagePage({ summary, text, html }: ParsedMessage): string {
  const { id } = summary;
  const files = summary.attachments.map(
    (file, index) =>
      `<a href="/api/messages/${id}/attachments/${index}">${escape(file.filename)} <span class="soft">${size(file.size)}</span></a>`,
  );
  const frame = `<h2>HTML</h2><div class="card"><iframe title="HTML part" src="/messages/${id}/html"
      sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></div>`;
  return page(
    summary.subject || '(no subject)',
    `<p><a href="/">← Inbox</a></p>
    <header><h1>${escape(summary.subject || '(no subject)')}</h1></header>
    <div class="card"><dl>
      <dt>From</dt><dd>${escape(person(summary.from))}</dd>
      <dt>To</dt><dd>${escape(people(summary))}</dd>
      ${summary.headers['reply-to'] ? `<dt>Reply to</dt><dd>${escape(summary.headers['reply-to'])}</dd>` : ''}
      <dt>Received</dt><dd>${time(summary.receivedAt)} UTC</dd>
      <dt>Message-ID</dt><dd>${escape(summary.messageId ?? '(none)')}</dd>
      <dt>Source</dt><dd><a href="/api/messages/${id}/raw">as it came</a>, <a href="/api/messages/${id}">JSON</a></dd>
    </dl></div>
    ${files.length > 0 ? `<h2>Attachments</h2><div class="card files">${files.join('\n')}</div>` : ''}
    ${html === null ? '' : frame}
    ${text === null ? '' : `<h2>Text</h2><div class="card"><pre>${escape(text)}</pre></div>`}`,
  );
}

/** The page for a message that is not there, or not any more. */
export function noMessagePage(): string {
  return page(
    'No such message',
    '<p><a href="/">← Inbox</a></p><div class="card"><p class="empty">No such message</p></div>',
  );
}

function page(title: string, content: string): string {
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
