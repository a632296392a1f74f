import { escape, page, time } from '../pages/layout';
import { refreshScript } from '../pages/refresh';
import type { MessageSummary, ParsedMessage } from './ParsedMessages';

const style = `
  .row { grid-template-columns: 220px 1fr auto; }
  @media (max-width: 640px) {
    .row { grid-template-columns: 1fr auto; gap: 2px 12px; }
    .row .subject { grid-column: 1 / -1; grid-row: 1; white-space: normal; overflow-wrap: anywhere; }
  }
  iframe { display: block; width: 100%; height: 640px; border: 0; background: #fff; }
  .files { display: flex; flex-wrap: wrap; gap: 10px; padding: 14px 18px; }
  .files a { padding: 6px 12px; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }`;

const size = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`);

function person(mailbox: MessageSummary['from']): string {
  if (!mailbox) return '(none)';
  return mailbox.name === '' ? mailbox.address : `${mailbox.name} <${mailbox.address}>`;
}

const people = (summary: MessageSummary) => summary.to.map(person).join(', ') || summary.envelope.to.join(', ');

/** Returns the inbox, newest first. It shows new messages without a reload. */
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
    style,
    `<header><h1>Inbox</h1><span class="soft" id="count" role="status" data-live>${shown} caught here, none delivered</span></header>
    <div class="card" id="list">${rows.join('\n')}
      <p class="empty" id="none" data-live${rows.length > 0 ? ' hidden' : ''}>Nothing here yet. Messages show up by themselves.</p></div>
    ${refreshScript}`,
  );
}

/** Returns the page of one message, with its HTML part in a sandboxed frame. */
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
    style,
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
