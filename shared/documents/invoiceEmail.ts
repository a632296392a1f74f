import { createHash } from 'node:crypto';
import type { InvoiceDocument } from './InvoiceDocument';
import { isolated } from './isolated';
import { languages } from './languages';
import type { EmailTexts } from './languages/LanguageTexts';
import { shortened } from './shortened';
import { sumsOf } from './sums';
import { renderHtml, renderText } from './templates';

/** One message: a subject of one line, and the same content as plain text and as HTML. */
export interface InvoiceEmail {
  subject: string;
  text: string;
  html: string;
  /** The logo, which the HTML shows by its content id; null where it shows the sender's name. */
  logo: { contentId: string; content: Buffer } | null;
}

/** The parts of a message beside the invoice. */
export interface EmailExtras {
  /** The sender's text above the summary; may have several lines. */
  message?: string | null;
  /** The invoice's page, an http(s) address: the button leads there. Without it, to the payment link. */
  pageUrl?: string | null;
  /** A PNG. */
  logo?: Buffer | null;
  /** The day that the message reminds of, in days from the due date. Without it, it says that the invoice is attached. */
  reminder?: { relativeDay: number } | null;
}

/** A subject and the sentences below the greeting, with the places `{number}`, `{sender}`, `{client}` and `{dueDate}`. */
interface EmailOpening {
  subject: string;
  lead: readonly string[];
}

const subjectLimit = 200;
/** Items that are listed; where only one more would follow, it is listed too. */
const listedItems = 5;
const descriptionLimit = 120;
/** Characters of an invoice number that have room on one line of a phone, whatever they are. */
const shortNumber = 24;
/** Bytes; each recipient gets a copy. A larger logo is replaced by the sender's name. */
const largestLogo = 256 * 1024;
/** CSS pixels that the logo fills. */
const logoBox = { width: 220, height: 64 };

/**
 * The message that brings an invoice or a credit note to its client, in the document's language: the first items, the amounts and the due date as
 * the PDF has them, and a button. Everything typed by people is escaped, and the subject cannot carry a line break. The HTML is
 * bounded: Gmail cuts off what is longer than 102 kB.
 */
export function renderInvoiceEmail(invoice: InvoiceDocument, extras: EmailExtras = {}): InvoiceEmail {
  const { email: texts, creditNote, labels } = { ...languages[invoice.language], labels: invoice.labels };
  const { sender, status, direction } = invoice;
  const isCredit = invoice.corrects !== null;
  const opening = isCredit
    ? { subject: creditNote.email.subject, lead: [creditNote.email.attached] }
    : extras.reminder
      ? reminding(extras.reminder, texts)
      : openingOf(invoice, texts);
  const isPaid = status === 'paid';
  const items = invoice.items.slice(0, invoice.items.length === listedItems + 1 ? undefined : listedItems);
  const pageUrl = extras.pageUrl ?? null;
  const logo = extras.logo ? logoOf(extras.logo) : null;
  const values = {
    invoice,
    labels,
    greeting: sentence(texts.greeting, invoice),
    lead: opening.lead.map((template) => sentence(template, invoice)),
    message: (extras.message ?? '').trim().split(/\r\n|[\n\r\u2028\u2029]/),
    amountLabel: isCredit ? creditNote.amount : isPaid ? labels.amountPaid : labels.amountDue,
    amount: isPaid ? invoice.total : invoice.due,
    items: items.map((item) => ({ ...item, description: shortened(oneLine(item.description), descriptionLimit) })),
    more: items.length < invoice.items.length ? moreItems(texts, invoice.items.length - items.length) : null,
    isolated: (text: string) => isolated(text, direction),
    button: pageUrl !== null && (isPaid || isCredit) ? texts.viewInvoice : labels.payOnline,
    buttonUrl: pageUrl ?? invoice.paymentUrl,
    orOpen: texts.orOpen,
    closing: texts.closing,
    sender: oneLine(sender.name),
    contacts: [sender.address, sender.email, sender.phone].filter((line) => line !== null && line.trim() !== ''),
    logo: logo && { ...logo.size, contentId: logo.contentId },
    start: direction === 'rtl' ? 'right' : 'left',
    end: direction === 'rtl' ? 'left' : 'right',
    textOf,
    sums: sumsOf(invoice),
    isLong: (number: string) => number.length > shortNumber,
  };
  return {
    subject: shortened(textOf(sentence(opening.subject, invoice)), subjectLimit),
    text: renderText('email.txt', values),
    html: renderHtml('email.html', values),
    logo,
  };
}

/** Returns the sentences that the invoice is attached and what the reader should do. */
function openingOf({ status }: InvoiceDocument, texts: EmailTexts): EmailOpening {
  const state = status === 'paid' || status === 'overdue' ? [texts[status]] : [];
  return { subject: texts.subject, lead: [texts.attached, ...state] };
}

function reminding({ relativeDay }: { relativeDay: number }, { reminder }: EmailTexts): EmailOpening {
  return { subject: reminder.subject, lead: [relativeDay > 0 ? reminder.wasDue : reminder.isDue] };
}

const moreItems = (texts: EmailTexts, count: number): string => texts.moreItems.replace('{count}', String(count));

/** A part of a sentence; the invoice's number is never broken over lines. */
interface Part {
  text: string;
  isNumber: boolean;
}

/** Fills the places of a sentence with names and the number, on one line. */
function sentence(template: string, { invoiceNumber, corrects, ...invoice }: InvoiceDocument): Part[] {
  const { sender, client, dueDate, direction } = invoice;
  const names = {
    ...{ number: invoiceNumber, invoice: corrects?.invoiceNumber ?? '' },
    ...{ sender: sender.name, client: client.name, dueDate },
  };
  return template.split(/(\{(?:number|invoice|sender|client|dueDate)\})/).map((part) => {
    const name = part.startsWith('{') ? (part.slice(1, -1) as keyof typeof names) : null;
    const text = name === null ? part : isolated(oneLine(names[name]), direction);
    return { text, isNumber: name === 'number' || name === 'invoice' };
  });
}

const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join('');

/** Removes control characters and line or paragraph separators, which would end a mail header or fake a paragraph. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/**
 * The logo as a part of the message, which the HTML shows by `cid:`. Gmail and Outlook show no picture of a `data:` address, and one on a
 * server would report each reading to the sender. Null for one that is too large.
 */
function logoOf(png: Buffer): { contentId: string; content: Buffer; size: { width: number; height: number } } | null {
  if (png.length > largestLogo || png.length < 24) return null;
  // Outlook knows no max-width: the size that it is shown with follows from that in the header of the PNG.
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const scale = Math.min(logoBox.width / width, logoBox.height / height, 1);
  const size = { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) };
  const contentId = `${createHash('sha256').update(png).digest('hex').slice(0, 32)}@logo.invalid`;
  return { contentId, content: png, size };
}
