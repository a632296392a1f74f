import { createHash } from 'node:crypto';
import { toSqlTime, type UnitOfWork } from '../../engine/db';
import { LimitReached, ServiceUnavailable } from '../../engine/errors';
import type { FileStore } from '../../engine/files';
import { getCompany, type CompanyRecord } from '../record';
import { changeCompany } from '../updateCompany';

/** The end of the key of a logo that was drawn as a PNG (see `drawLogo`). Other keys are uploads of earlier versions. */
export const DRAWN = '.drawn.png';

/** Returns the key under which a drawn logo is stored: the same content of a company has the same key. */
export function logoKeyOf(companyId: number, png: Buffer): string {
  return `logo/${companyId}/${createHash('sha256').update(png).digest('hex')}${DRAWN}`;
}

/**
 * Records that a logo of `size` bytes is about to be stored under `key`. It is committed before the file is stored, so the clean-up
 * finds every file that nothing uses. The company can have `most` logos: concurrent uploads are counted one after the other.
 * @throws {LimitReached}
 */
export async function reserveLogo(uow: UnitOfWork, key: string, size: number, most: number): Promise<void> {
  const { companyId, sql } = uow;
  const now = toSqlTime(uow.now);
  await sql.rows('SELECT id FROM companies WHERE id = ? FOR UPDATE', [companyId]);
  await sql.run(
    `INSERT INTO stored_files (companyId, fileKey, kind, contentType, size, isKept, unusedSince, createdAt, updatedAt)
     VALUES (?, ?, 'logo', 'image/png', ?, 0, ?, ?, ?)
     ON DUPLICATE KEY UPDATE unusedSince = IF(unusedSince IS NULL, NULL, VALUES(unusedSince))`,
    [companyId, key, size, now, now, now],
  );
  const [row] = await sql.rows<{ count: number }>(
    `SELECT COUNT(*) AS count FROM
      (SELECT 1 FROM stored_files WHERE companyId = ? AND fileKey LIKE 'logo/%' LIMIT ${most + 1}) AS counted`,
    [companyId],
  );
  if ((row?.count ?? 0) <= most) return;
  const message = `a company can have ${most} stored logos; those that nothing shows are removed a day later`;
  throw new LimitReached('logos', message);
}

/** Stores a drawn logo under {@link logoKeyOf} and returns that key. Safe to repeat: the same logo has the same key. */
export async function storeLogo(files: FileStore, companyId: number, png: Buffer): Promise<string> {
  const key = logoKeyOf(companyId, png);
  await files.put(key, png);
  return key;
}

/**
 * Makes a stored PNG the company's logo. The file of the one before is removed later, unless invoices that were sent show it.
 * @throws {NotFound} when there is no such company; {@link ServiceUnavailable} when the file was cleaned up, because its upload took
 * over a day.
 */
export async function setLogo(uow: UnitOfWork, logoKey: string): Promise<CompanyRecord> {
  const { companyId, sql } = uow;
  const before = await changeCompany(uow, { logoKey });
  const now = toSqlTime(uow.now);
  const { affectedRows } = await sql.run(
    'UPDATE stored_files SET storedAt = ?, unusedSince = NULL, updatedAt = ? WHERE companyId = ? AND fileKey = ?',
    [now, now, companyId, logoKey],
  );
  if (affectedRows === 0) throw new ServiceUnavailable('the file store', new Error(`${logoKey} was cleaned up`));
  if (before.logoKey !== null && before.logoKey !== logoKey) await releaseLogo(uow, before.logoKey);
  return getCompany(sql, companyId);
}

/** Lets the clean-up remove a logo that the company no longer has, unless it is kept. */
export async function releaseLogo({ companyId, now, sql }: UnitOfWork, logoKey: string): Promise<void> {
  await sql.run('UPDATE stored_files SET unusedSince = ? WHERE companyId = ? AND fileKey = ? AND isKept = 0', [
    toSqlTime(now),
    companyId,
    logoKey,
  ]);
}

/** Keeps a logo for good, because a document that does not change any more shows it. Does nothing without a logo. */
export async function keepLogo({ companyId, sql }: UnitOfWork, logoKey: string | null): Promise<void> {
  if (logoKey === null) return;
  await sql.run(
    'UPDATE stored_files SET isKept = 1, unusedSince = NULL WHERE companyId = ? AND fileKey = ? AND isKept = 0',
    [companyId, logoKey],
  );
}
