import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InvoiceDocument } from './InvoiceDocument';
import { paymentQrCode } from './paymentQrCode';
import { selectFonts, type FontSelection } from './selectFonts';
import { renderHtml, templatesDir } from './templates';

/** A PNG that is put into the page itself; a page fetches nothing, and no file of a user is ever a document in it. */
export type Logo = Buffer;

/** What changes from one invoice to the next on a page whose frame stays. */
export interface InvoicePage {
  language: string;
  title: string;
  /** CSS: the order of fonts, and the foot of each printed page. */
  style: string;
  /** HTML of the body; everything typed by people is escaped. */
  body: string;
  fonts: FontSelection;
}

/**
 * What may load: nothing but what is part of the page itself. The policy holds even where a template forgot to escape.
 * Source: Content Security Policy Level 3.
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'";

/** The frame of every invoice: policy and style sheet, and an empty body. Loaded once into a page. */
export function invoiceFrame(): string {
  const css = readFileSync(join(templatesDir, 'invoice.css'), 'utf8');
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}"><style>${css}</style><style id="invoice"></style></head><body></body></html>`;
}

/** The page of one invoice, to be put into the frame. A null logo leaves the company's name in its place. */
export function invoicePage(invoice: InvoiceDocument, logo: Logo | null): InvoicePage {
  const html = renderHtml('invoice', {
    invoice,
    sender: contactLines(invoice, 'sender'),
    client: contactLines(invoice, 'client'),
    logo: logo && `data:image/png;base64,${logo.toString('base64')}`,
    qrCode: invoice.paymentUrl && paymentQrCode(invoice.paymentUrl),
  });
  const foot = `${invoice.labels.title} ${invoice.invoiceNumber}`;
  const { body, fonts } = drawable(html, boldText(invoice));
  return { language: invoice.language, title: foot, style: pageStyle(invoice, foot, fonts.families), body, fonts };
}

/** The text and its fonts, with the sign for unknown characters in the place of those that no font draws. */
function drawable(html: string, bold: string): { body: string; fonts: FontSelection } {
  const fonts = selectFonts(html, bold);
  const { undrawn } = fonts;
  if (undrawn.size === 0) return { body: html, fonts };
  // Chromium would search the machine's fonts for each of them: a page full of them would take minutes.
  const known = (text: string) =>
    text.replace(/[^\0-\x7f]/gu, (character) => (undrawn.has(character) ? '\ufffd' : character));
  const body = known(html);
  return { body, fonts: selectFonts(body, known(bold)) };
}

/** Whatever the style sheet may set in bold, and what stands at the foot of each page. */
function boldText({ labels, sender, client, invoiceNumber, total }: InvoiceDocument): string {
  return [JSON.stringify(labels), sender.name, client.name, invoiceNumber, total].join('');
}

/** What stands under a name: address, e-mail, phone and tax number, one line each where they exist. */
function contactLines(invoice: InvoiceDocument, side: 'sender' | 'client'): string[] {
  const { address, email, phone, taxId } = invoice[side];
  const lines = [address, email, phone, taxId && `${invoice.labels.taxId}: ${taxId}`];
  return lines.filter((line): line is string => line !== null && line.trim() !== '');
}

function pageStyle(invoice: InvoiceDocument, foot: string, families: readonly string[]): string {
  const numbering = invoice.labels.page
    .split(/(\{page\}|\{pages\})/)
    .map((part) => (part === '{page}' ? 'counter(page)' : part === '{pages}' ? 'counter(pages)' : cssString(part)))
    .join(' ');
  return [
    `:root { --fonts: ${families.map(cssString).join(', ')}; }`,
    `@page { @bottom-left { content: ${cssString(foot)}; } @bottom-right { content: ${numbering}; } }`,
  ].join('\n');
}

/** A CSS string in which nothing but letters, digits and spaces stands for itself. */
function cssString(text: string): string {
  return `"${text.replace(/[^A-Za-z0-9 ]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;
}
