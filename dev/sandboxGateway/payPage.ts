import { currencyDecimals } from '../../shared/documents';
import { escape, htmlDocument } from '../pages/layout';
import type { SandboxLink } from './SandboxLink';

function money({ amount, currency }: SandboxLink): string {
  const decimals = currencyDecimals(currency);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code', ...digits }).format(
    amount,
  );
}

const day = (iso: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso));

const style = `
  :root { color-scheme: light; --ink: #1b2733; --soft: #55616d; --line: #e3e8ec; --accent: #1762d6; }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: #f3f6f9;
    color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
  main { width: 100%; max-width: 440px; background: #fff; border: 1px solid var(--line); border-radius: 14px;
    padding: 32px; box-shadow: 0 8px 30px rgb(27 39 51 / 8%); }
  .badge { display: inline-block; padding: 2px 10px; border-radius: 99px; background: #fff4d6; color: #7a5600;
    font-size: 13px; }
  h1 { margin: 16px 0 0; font-size: 15px; font-weight: 500; color: var(--soft); }
  .amount { margin: 0 0 24px; font-size: 34px; font-weight: 650; letter-spacing: -.02em; overflow-wrap: anywhere; }
  dl { margin: 0 0 28px; border-top: 1px solid var(--line); }
  dl div { display: flex; gap: 16px; padding: 10px 0; border-bottom: 1px solid var(--line); }
  dt { flex: none; width: 90px; color: var(--soft); }
  dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
  button { width: 100%; padding: 14px; border: 0; border-radius: 10px; background: var(--accent); color: #fff;
    font: inherit; font-weight: 600; cursor: pointer; }
  button:hover { filter: brightness(1.08); }
  .state { padding: 14px; border-radius: 10px; text-align: center; font-weight: 600; }
  .paid { background: #e2f6e9; color: #11663a; }
  .ended { background: #fbe9e7; color: #93301f; }
  footer { margin-top: 20px; text-align: center; font-size: 13px; color: var(--soft); }
  a { color: var(--accent); }`;

function row(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `<div><dt>${name}</dt><dd>${escape(value)}</dd></div>`;
}

function state(link: SandboxLink): string {
  if (link.status === 'EXPIRED') return '<p class="state ended">This link has expired</p>';
  if (link.processing === true) return '<p class="state">The payment is on its way</p>';
  if (link.status === 'PENDING') {
    return `<form method="post" action="/web/${link.id}/pay"><button>Pay ${escape(money(link))}</button></form>`;
  }
  const back = link.success_redirect_url;
  const paid = `<p class="state paid">Paid on ${day(link.paid_at ?? link.updated)} UTC</p>`;
  return back ? `${paid}<p><a href="${escape(back)}">Back to the merchant</a></p>` : paid;
}

/** Returns the page of a payment link: the amount, the merchant, and the button or the final state. */
export function payPage(link: SandboxLink): string {
  return page(
    `Pay ${money(link)}`,
    `<span class="badge">Sandbox: no money moves</span>
    <h1>${escape(link.merchant_name)}</h1>
    <p class="amount">${escape(money(link))}</p>
    <dl>
      ${row('For', link.description)}
      ${row('Payer', link.payer_email)}
      ${row('Reference', link.external_id)}
      ${link.status === 'PENDING' ? row('Pay before', `${day(link.expiry_date)} UTC`) : ''}
    </dl>
    ${state(link)}`,
  );
}

/** Returns the page for an unknown id. */
export function unknownLinkPage(): string {
  return page('No such payment link', '<p class="state ended">There is no payment link at this address</p>');
}

function page(title: string, content: string): string {
  return htmlDocument(
    title,
    style,
    `<main>
    ${content}
    <footer>Local stand-in for the payment gateway</footer>
    </main>`,
  );
}
