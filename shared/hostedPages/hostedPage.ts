import { randomBytes, timingSafeEqual } from 'node:crypto';
import { padded, perRow, rowsOf, toSqlTime, type UnitOfWork } from '../engine/db';
import { NotFound } from '../engine/errors';

/** 192 random bits. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;
const selectorOf = (token: string): string => token.slice(0, 8);

/** The path of a page, below the address of the service. */
export const pagePath = (token: string): string => `/i/${token}`;

/** SQL: the token of the page of invoice `i`, or NULL. */
export const pageToken = '(SELECT h.token FROM hosted_pages h WHERE h.companyId = i.companyId AND h.invoiceId = i.id)';

/**
 * Returns the token of an invoice's page, which is made on first use.
 * @throws {NotFound} when the invoice is absent, deleted or another company's.
 */
export async function tokenOfPage(uow: UnitOfWork, invoiceId: number): Promise<string> {
  const token = (await tokensOfPages(uow, [invoiceId])).get(invoiceId);
  if (token === undefined) throw new NotFound('invoice');
  return token;
}

/** Returns the tokens of pages by the id of the invoice, as {@link tokenOfPage}; none for an invoice that is not found. */
export async function tokensOfPages(
  { sql, companyId, now }: UnitOfWork,
  invoiceIds: readonly number[],
): Promise<Map<number, string>> {
  if (invoiceIds.length === 0) return new Map();
  const made = new Map(invoiceIds.map((id) => [id, randomBytes(TOKEN_BYTES).toString('base64url')]));
  const ids = padded([...made.keys()]);
  const tokens = perRow(ids, [...made.values()]);
  const selectors = perRow(ids, [...made.values()].map(selectorOf));
  const { text, values } = rowsOf(
    companyId,
    ids.map((id) => ({ id, only: { softDelete: false } })),
  );
  // Concurrent first uses create one token: the others wait for it.
  const { affectedRows } = await sql.run(
    `INSERT IGNORE INTO hosted_pages (companyId, invoiceId, token, selector, createdAt)
     SELECT companyId, id, ${tokens.text}, ${selectors.text}, ? FROM invoices WHERE ${text}`,
    [...tokens.values, ...selectors.values, toSqlTime(now), ...values],
  );
  if (affectedRows === made.size) return made;
  const pages = await sql.rows<{ id: number; token: string | null }>(
    `SELECT id, ${pageToken} AS token FROM invoices i WHERE ${text}`,
    values,
  );
  return new Map(pages.flatMap(({ id, token }) => (token === null ? [] : [[id, token] as const])));
}

/**
 * Revokes the address of an invoice's page, if it has one. The next use makes another.
 * @throws {NotFound} as {@link tokenOfPage} does.
 */
export async function revokePage({ sql, companyId }: UnitOfWork, invoiceId: number): Promise<void> {
  const found = await sql.rows('SELECT id FROM invoices WHERE companyId = ? AND id = ? AND softDelete = 0', [
    ...[companyId, invoiceId],
  ]);
  if (found.length === 0) throw new NotFound('invoice');
  await sql.run('DELETE FROM hosted_pages WHERE companyId = ? AND invoiceId = ?', [companyId, invoiceId]);
}

/** Finds the page of a token and verifies the token. */
export interface PageAddress {
  /** The indexed part of the token. */
  selector: string;
  /** Compares the whole token in constant time. */
  opens: (page: string) => boolean;
}

/** Returns null for text that cannot be a token. */
export function pageAddress(token: string): PageAddress | null {
  if (!TOKEN.test(token)) return null;
  const asked = Buffer.from(token);
  return { selector: selectorOf(token), opens: (page) => timingSafeEqual(Buffer.from(page), asked) };
}
