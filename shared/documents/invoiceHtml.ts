import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InvoiceDocument, Party } from './InvoiceDocument';
import { isolated } from './isolated';
import { type Language, languages } from './languages';
import { paymentQrCode } from './paymentQrCode';
import { remarksOf } from './remarks';
import { shortened } from './shortened';
import { type FontSelection, selectFonts, withUnknownSigns } from './selectFonts';
import { renderHtml, templatesDir } from './templates';

/** A PNG that is put into the page by its bytes; a page fetches nothing, and no file of a user is ever a document in it. */
export type Logo = Buffer;

/** The parts of a page that differ between invoices; the frame stays. */
export interface InvoicePage {
  language: string;
  direction: 'ltr' | 'rtl';
  title: string;
  /** CSS: the order of fonts, and the text in the margins of each printed page. */
  style: string;
  /** HTML of the body; all user text is escaped. */
  body: string;
  /** In base64, for the only image of the body; null for none. */
  logo: string | null;
  fonts: FontSelection;
}

/**
 * Nothing may load but parts of the page itself. The policy holds even where a template forgot to escape. Source: Content Security Policy
 * Level 3.
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src blob:; base-uri 'none'; form-action 'none'";

/** Letters of Hebrew, Arabic and their neighbours, and the mark. Source: Unicode Character Database, DerivedBidiClass.txt, R and AL. */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff]|\ud802|\ud803|\ud83a|\ud83b/;
/** Each line, typed or formatted, runs in the direction of its own script, and stands at the page's side. */
const ownDirections = '\np, td { unicode-bidi: plaintext; }';
/** Characters at the head of a page, where Chromium breaks no word: so many of the widest have room on one line. */
const longestHead = 64;
/** Lines of items that fit on one page with the head of the table and the totals. */
const linesWithTotals = 40;
/** Lines of an item that is longer than that which stand on the page of the totals. */
const linesOfRest = 8;
/** Millimetres of the item table without the padding of the description, and of the widest letters. */
const tableWidth = 172;
const widestLetter = 3.4;

/** The frame of every invoice: policy and style sheet, and an empty body. Loaded once into a page. */
export function invoiceFrame(): string {
  const css = readFileSync(join(templatesDir, 'invoice.css'), 'utf8');
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}"><style>${css}</style><style id="invoice"></style></head><body></body></html>`;
}

/** The body of the page: the first half of the work of {@link invoicePage}. */
export function invoiceBody(invoice: InvoiceDocument, hasLogo: boolean): string {
  const widths = figureWidths(invoice.items);
  return renderHtml('invoice', {
    invoice,
    parties: [
      { heading: invoice.labels.from, party: invoice.sender, contacts: contactsOf(invoice.sender) },
      { heading: invoice.labels.billTo, party: invoice.client, contacts: contactsOf(invoice.client) },
    ],
    ...groupItems(invoice.items, widths),
    figureWidths: widths,
    hasLogo,
    isolated: (text: string) => isolated(text, invoice.direction),
    remarks: remarksOf(invoice),
    qrCode: invoice.paymentUrl && paymentQrCode(invoice.paymentUrl),
  });
}

/**
 * The page of one invoice, to be put into the frame. A null logo leaves the company's name in its place.
 * @param html the body, where it was made before, so that other work could run meanwhile
 */
export function invoicePage(
  invoice: InvoiceDocument,
  logo: Logo | null,
  html = invoiceBody(invoice, logo !== null),
): InvoicePage {
  const { language, direction } = invoice;
  const title = `${invoice.labels.title} ${isolated(invoice.invoiceNumber, direction)}`;
  const { fonts, drawn } = drawable(html, boldText(invoice), language);
  const margins = marginTexts(invoice, drawn(shortened(invoice.sender.name, longestHead - title.length)), drawn(title));
  const style = pageStyle(margins, fonts.families, invoice.color) + (rightToLeft.test(html) ? ownDirections : '');
  return { language, direction, title, style, body: drawn(html), logo: logo && logo.toString('base64'), fonts };
}

interface Drawable {
  fonts: FontSelection;
  /** Replaces characters that no font draws by the sign for unknown characters. */
  drawn: (text: string) => string;
}

/** The fonts of a page, whose margins say nothing that its body does not. */
function drawable(html: string, bold: string, language: Language): Drawable {
  const fonts = selectFonts(html, bold, language);
  const drawn = fonts.hasUndrawn ? withUnknownSigns : (text: string) => text;
  return { fonts, drawn };
}

/** All text that may be bold, and the text in the margins of each page. */
function boldText({ labels, language, sender, client, invoiceNumber, total }: InvoiceDocument): string {
  const { corrects, reason } = languages[language].creditNote;
  return [JSON.stringify(labels), corrects, reason, sender.name, client.name, invoiceNumber, total].join('');
}

type Items = InvoiceDocument['items'];

/**
 * Returns the items, and apart from them those that stand on the page of the totals: the last two, or one where two might have no
 * room there. Of an item that is too long for that, its last lines.
 */
function groupItems(items: Items, widths: readonly number[]): { items: Items; lastItems: Items } {
  const inLine = (tableWidth - widths.reduce((sum, width) => sum + width, 0)) / widestLetter;
  const linesOf = (text: string) => text.split('\n').length + text.length / inLine;
  const linesOfLast = (count: number) =>
    items.slice(-count).reduce((sum, { description }) => sum + linesOf(description), 0);
  const count = linesOfLast(2) > linesWithTotals ? 1 : 2;
  const [others, lastItems] = [items.slice(0, -count), items.slice(-count)];
  const last = items.at(-1);
  if (last === undefined || linesOfLast(1) <= linesWithTotals) return { items: others, lastItems };
  const lines = last.description.split('\n');
  const short = lines.findIndex((_, index) => linesOf(lines.slice(index).join('\n')) <= linesOfRest);
  const kept = short > 0 ? short : lines.length - 1;
  const rest = { description: lines.slice(kept).join('\n'), quantity: '', unitPrice: '', amount: '' };
  return { items: [...others, { ...last, description: lines.slice(0, kept).join('\n') }], lastItems: [rest] };
}

/** Millimetres of the columns of quantity, unit price and amount: the greatest figures have their place without a break. */
function figureWidths(items: InvoiceDocument['items']): number[] {
  const longest = (figure: 'quantity' | 'unitPrice' | 'amount') =>
    items.reduce((length, item) => Math.max(length, item[figure].length), 0);
  const price = Math.max(longest('unitPrice'), longest('amount')) > 20 ? 44 : 39;
  return [longest('quantity') > 11 ? 39 : 24, price, price];
}

/** Returns address, e-mail and phone, where they exist. */
function contactsOf({ address, email, phone }: Party): string[] {
  return [address, email, phone].filter((contact): contact is string => contact !== null && contact.trim() !== '');
}

/** The text in the margins, as values of CSS `content`. */
interface MarginTexts {
  /** Of every page but the first: whose invoice it is, and which. */
  headStart: string;
  headEnd: string;
  /** Of every page. */
  footEnd: string;
  direction: InvoicePage['direction'];
}

function marginTexts({ labels, direction }: InvoiceDocument, sender: string, title: string): MarginTexts {
  const numbering = labels.page
    .split(/(\{page\}|\{pages\})/)
    .map((part) => (part === '{page}' ? 'counter(page)' : part === '{pages}' ? 'counter(pages)' : cssString(part)))
    .join(' ');
  return { headStart: cssString(sender), headEnd: cssString(title), footEnd: numbering, direction };
}

function pageStyle(
  { headStart, headEnd, footEnd, direction }: MarginTexts,
  families: readonly string[],
  color: string,
): string {
  const [start, end] = direction === 'rtl' ? ['right', 'left'] : ['left', 'right'];
  return [
    `:root { --fonts: ${families.map(cssString).join(', ')}; --brand: ${color}; }`,
    `@page { @top-${start} { content: ${headStart}; } @top-${end} { content: ${headEnd}; } @bottom-${end} { content: ${footEnd}; } }`,
    `@page :first { @top-${start} { content: none; } @top-${end} { content: none; } }`,
  ].join('\n');
}

/** Returns a CSS string that escapes everything but letters, digits and spaces. */
function cssString(text: string): string {
  return `"${text.replace(/[^A-Za-z0-9 ]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;
}
