import { randomBytes, timingSafeEqual } from 'node:crypto';
import { toSqlTime, type UnitOfWork } from '../engine/db';
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
export async function tokenOfPage({ sql, companyId, now }: UnitOfWork, invoiceId: number): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  // Concurrent first uses create one token: the others wait for it.
  const { affectedRows } = await sql.run(
    `INSERT IGNORE INTO hosted_pages (companyId, invoiceId, token, selector, createdAt)
     SELECT companyId, id, ?, ?, ? FROM invoices WHERE companyId = ? AND id = ? AND softDelete = 0`,
    [token, selectorOf(token), toSqlTime(now), companyId, invoiceId],
  );
  if (affectedRows === 1) return token;
  const [page] = await sql.rows<{ token: string | null }>(
    `SELECT ${pageToken} AS token FROM invoices i WHERE i.companyId = ? AND i.id = ? AND i.softDelete = 0`,
    [companyId, invoiceId],
  );
  if (!page?.token) throw new NotFound('invoice');
  return page.token;
}

/**
 * Returns the address of an invoice's page for a message; null if the service does not know its own address (`linkBase`).
 * @param token the token, if the caller has read it
 */
export async function linkToPage(
  uow: UnitOfWork,
  linkBase: string | null,
  invoiceId: number,
  token: string | null,
): Promise<string | null> {
  return linkBase === null ? null : linkBase + pagePath(token ?? (await tokenOfPage(uow, invoiceId)));
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
