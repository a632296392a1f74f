import PostalMime from 'postal-mime';
import type { CaughtMessage, MessageStore } from './MemoryStore';

/** A message in a list. Addresses and texts are decoded. */
export interface MessageSummary extends Pick<CaughtMessage, 'id' | 'receivedAt' | 'size'> {
  envelope: { from: string; to: string[] };
  /** The `Message-ID` header without angle brackets, or null. */
  messageId: string | null;
  from: { name: string; address: string } | null;
  to: { name: string; address: string }[];
  subject: string;
  /** The `Date` header as ISO 8601; when it was received, without one. */
  date: string;
  attachments: { filename: string; contentType: string; size: number }[];
  /** By lower-case name; values of one name that comes several times are joined with a comma. */
  headers: Record<string, string>;
}

export interface ParsedMessage {
  summary: MessageSummary;
  text: string | null;
  html: string | null;
  /** Contents of `summary.attachments`, in the same order. */
  contents: Buffer[];
}

/** Parses messages on request, not on arrival. Caches summaries, not contents. */
export class ParsedMessages {
  /** Cached while the store has the message. */
  readonly #summaries = new WeakMap<CaughtMessage, MessageSummary>();

  constructor(private readonly store: MessageStore) {}

  async get(id: number): Promise<ParsedMessage | null> {
    const message = this.store.get(id);
    const raw = await this.store.raw(id);
    if (!message || !raw) return null;
    const email = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
    const contents = email.attachments.map(({ content }) =>
      typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer),
    );
    const summary: MessageSummary = {
      id,
      receivedAt: message.receivedAt,
      size: message.size,
      envelope: { from: message.from, to: message.to },
      messageId: email.messageId?.replace(/^<|>$/g, '') ?? null,
      from: mailboxes(email.from ? [email.from] : [])[0] ?? null,
      to: mailboxes(email.to ?? []),
      subject: email.subject ?? '',
      date: email.date ?? message.receivedAt,
      attachments: email.attachments.map(({ filename, mimeType }, index) => ({
        filename: filename ?? `attachment-${index + 1}`,
        contentType: mimeType,
        size: contents[index]?.length ?? 0,
      })),
      headers: headersOf(email.headers),
    };
    return { summary, text: email.text ?? null, html: email.html ?? null, contents };
  }

  async summary(id: number): Promise<MessageSummary | null> {
    const message = this.store.get(id);
    if (!message) return null;
    const summary = this.#summaries.get(message) ?? (await this.get(id))?.summary ?? null;
    if (summary) this.#summaries.set(message, summary);
    return summary;
  }

  /**
   * Returns the newest `limit` messages that match, newest first. `to` is a part of an address that received it,
   * `subject` a part of the subject, both without regard to case; `messageId` is compared as it is.
   */
  async find(filter: { to: string; subject: string; messageId: string; limit: number }): Promise<MessageSummary[]> {
    const found: MessageSummary[] = [];
    for (const message of this.store.list()) {
      if (found.length >= filter.limit) break;
      if (!message.to.some((address) => contains(address, filter.to))) continue;
      const summary = await this.summary(message.id);
      if (!summary || !contains(summary.subject, filter.subject)) continue;
      if (filter.messageId !== '' && summary.messageId !== filter.messageId) continue;
      found.push(summary);
    }
    return found;
  }
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

function mailboxes(addresses: PostalMime.Address[]): { name: string; address: string }[] {
  return addresses.flatMap(({ name, address, group }) =>
    address === undefined ? mailboxes(group ?? []) : [{ name, address }],
  );
}

function headersOf(headers: PostalMime.Header[]): Record<string, string> {
  const all = new Map<string, string>();
  for (const { key, value } of headers) all.set(key, all.has(key) ? `${all.get(key)}, ${value}` : value);
  return Object.fromEntries(all);
}
