import { escape, page, time } from '../pages/layout';
import { refreshScript } from '../pages/refresh';
import type { ReceivedEvent } from './ReceivedEvents';
import type { ReceiverFault } from './ReceiverFaults';

const style = `
  .row { grid-template-columns: 1fr 130px 130px auto; align-items: baseline; }
  @media (max-width: 640px) {
    .row { grid-template-columns: 1fr auto; gap: 4px 12px; }
    .row .what, .row time { grid-column: 1 / -1; white-space: normal; overflow-wrap: anywhere; }
  }
  .good { color: #11663a; }
  .bad { color: #93301f; font-weight: 600; }
  form { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; padding: 14px 18px; }
  form p { flex: 1 0 100%; margin: 0; }
  button { padding: 6px 12px; border: 1px solid var(--line); border-radius: 8px; background: #fff; color: var(--accent);
    font: inherit; cursor: pointer; }
  button:hover { background: #f7fafd; }`;

/** The buttons of the page, and the faults that they add. */
export const buttons: Readonly<
  Record<string, { label: string; fault: Pick<ReceiverFault, 'mode'> & Partial<ReceiverFault> }>
> = {
  fail: { label: 'Respond with 500', fault: { mode: 'fail', status: 500 } },
  gone: { label: 'Respond with 410', fault: { mode: 'fail', status: 410 } },
  hang: { label: 'Never respond', fault: { mode: 'hang' } },
  break: { label: 'Cut the connection', fault: { mode: 'break' } },
};

/** Returns the page of received events, the newest first. It shows new ones without a reload. */
export function eventsPage(events: readonly ReceivedEvent[], shown: number, faults: readonly ReceiverFault[]): string {
  const rows = events.slice(0, shown).map(
    (event) => `<a class="row" href="/events/${event.id}">
        <span class="what"><b>${escape(event.type ?? '(no event)')}</b>
          <span class="soft">${escape([event.subject, repeated(event)].filter(Boolean).join(' · '))}</span></span>
        ${signature(event)}
        <span>${escape(replyText(event))}</span>
        <time class="soft">${time(event.receivedAt)} UTC</time>
      </a>`,
  );
  const count = events.length > shown ? `the newest ${shown} of ${events.length}` : String(events.length);
  const names = Object.entries(buttons).map(
    ([name, { label }]) => `<button name="fault" value="${name}">${label}</button>`,
  );
  return page(
    'Events',
    style,
    `<header><h1>Events</h1><span class="soft" id="count" role="status" data-live>${count} received since the start</span></header>
    <form class="card" method="post" action="/faults">
      <p class="soft" id="faults" data-live>${escape(faultsText(faults))}</p>
      ${names.join('\n      ')}
      <button name="fault" value="reset">Accept all</button>
    </form>
    <div class="card" id="list">${rows.join('\n')}
      <p class="empty" id="none" data-live${rows.length > 0 ? ' hidden' : ''}>Nothing here yet. Events show up by themselves.</p></div>
    ${refreshScript}`,
  );
}

/** Returns the page of one request: signature, response, body and headers. */
export function eventPage(event: ReceivedEvent): string {
  const headers = Object.entries(event.headers).map(([name, value]) => `${name}: ${value}`);
  return page(
    event.type ?? 'Request',
    style,
    `<p><a href="/">← Events</a></p>
    <header><h1>${escape(event.type ?? '(no event)')}</h1></header>
    <div class="card"><dl>
      <dt>Signature</dt><dd>${signature(event)}${event.signature.verified ? '' : `: ${escape(event.signature.reason)}`}</dd>
      <dt>Response</dt><dd>${escape(replyText(event))}</dd>
      <dt>Received</dt><dd>${time(event.receivedAt)} UTC</dd>
      <dt>Subject</dt><dd>${escape(event.subject ?? '(none)')}</dd>
      <dt>webhook-id</dt><dd>${escape(event.webhookId ?? '(none)')}${event.occurrence > 1 ? `, ${repeated(event)}` : ''}</dd>
      <dt>Path</dt><dd>${escape(event.path)}</dd>
      <dt>Source</dt><dd><a href="/api/events/${event.id}">JSON</a></dd>
    </dl></div>
    <h2>Body</h2><div class="card"><pre>${escape(indented(event.body))}</pre></div>
    <h2>Headers</h2><div class="card"><pre>${escape(headers.join('\n'))}</pre></div>`,
  );
}

const signature = ({ signature: { verified } }: ReceivedEvent): string =>
  verified ? '<span class="good">verified</span>' : '<span class="bad">not verified</span>';

const repeated = ({ occurrence }: ReceivedEvent): string => (occurrence > 1 ? `time ${occurrence}` : '');

function replyText({ reply }: ReceivedEvent): string {
  if (reply.kind === 'hang') return 'no response';
  return reply.kind === 'break' ? 'connection cut' : `responded ${reply.status}`;
}

function faultsText(faults: readonly ReceiverFault[]): string {
  if (faults.length === 0) return 'Every request gets 200. Choose a fault for the next one:';
  const one = ({ mode, status, delayMs, times }: ReceiverFault): string => {
    const what = {
      fail: `responds with ${status}`,
      late: `responds after ${delayMs} ms`,
      hang: 'never responds',
      break: 'cuts the connection',
    };
    return times === 1 ? what[mode] : `${what[mode]} (${times} times)`;
  };
  return `For the next requests the receiver ${faults.map(one).join(', then ')}.`;
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}
