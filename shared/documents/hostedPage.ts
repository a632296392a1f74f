import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { documentColor } from './brandColor';
import type { InvoiceDocument } from './InvoiceDocument';
import { type Language, languageOf, languages } from './languages';
import { parseLocale } from './localeFormat';
import { remarksOf } from './remarks';
import { sumsOf } from './sums';
import { renderHtml, templatesDir } from './templates';

const read = (name: string): string => readFileSync(join(templatesDir, name), 'utf8');
const base = read('base.css');
const css = read('page.css');

/** Returns a style sheet after that of every page: colours, light and dark, and text. @param color the sender's; null: the default */
export const withBaseStyle = (color: string | null, style: string): string =>
  `:root{--brand:${documentColor(color)}}\n${base}${style}`;

/** A page, with the source of its style as a Content-Security-Policy names it. */
export interface HostedPage {
  html: string;
  styleSource: string;
}

/** The text about a payment. */
export type PageNote = 'returned' | 'preparing' | 'notPrepared' | 'onItsWay';

/** The parts of a page beside the invoice: addresses, and the actions of its reader. */
export interface PageState {
  links: { pdf: string; pay: string; logo: string | null };
  canPay: boolean;
  note: PageNote | null;
}

/**
 * Renders the page on which a client sees and pays an invoice, with the words and figures of the PDF. No script; all user text is escaped.
 */
export function renderHostedPage(invoice: InvoiceDocument, { links, canPay, note }: PageState): HostedPage {
  const { labels } = invoice;
  const texts = languages[invoice.language].page;
  const isPaid = invoice.status === 'paid';
  return styled('page.html', invoice.color, {
    invoice,
    labels,
    texts,
    links,
    canPay,
    note: note && texts[note],
    amountLabel: isPaid ? labels.amountPaid : labels.amountDue,
    amount: isPaid ? invoice.total : invoice.due,
    sums: sumsOf(invoice),
    remarks: remarksOf(invoice),
  });
}

const messages = new Map<string, HostedPage>();

/** Renders in the reader's language why there is no page: `notFound`, or `unavailable` for a while. Each is cached. */
export function renderPageMessage(language: Language, message: 'notFound' | 'unavailable'): HostedPage {
  const key = `${language}:${message}`;
  const { direction, labels, page } = languages[language];
  const values = { language, direction, title: labels.title, message: page[message] };
  const rendered = messages.get(key) ?? styled('pageMessage.html', documentColor(null), values);
  messages.set(key, rendered);
  return rendered;
}

/** The language of the pages for a tag that a browser sends: without the formats of its locale, of which few are cached. */
export const pageLanguage = (tag: string): Language => languageOf(parseLocale(tag) ?? new Intl.Locale('en'));

function styled(template: string, color: string, values: object): HostedPage {
  const { style, styleSource } = styles.get(color) ?? styleOf(color);
  return { html: renderHtml(template, { ...values, style }), styleSource };
}

/** The style of each brand colour. Hashing it takes as long as filling in the page. */
const styles = new LRUCache<string, { style: string; styleSource: string }>({ max: 500 });

function styleOf(color: string): { style: string; styleSource: string } {
  const style = withBaseStyle(color, css);
  const hash = createHash('sha256').update(style).digest('base64');
  const made = { style, styleSource: `'sha256-${hash}'` };
  styles.set(color, made);
  return made;
}
