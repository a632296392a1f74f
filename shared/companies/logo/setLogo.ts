import { createHash } from 'node:crypto';
import { StoredFile } from '../../kernel/files/StoredFile';
import type { UnitOfWork } from '../../kernel/database/unitOfWork';
import type { FileStore } from '../../kernel/files/FileStore';
import { getCompany, type CompanyRecord } from '../record';
import { changeCompany } from '../updateCompany';

/** How the key of a logo ends that was drawn as a PNG (see `drawLogo`). Other keys are uploads of earlier versions. */
export const DRAWN = '.drawn.png';

/** Stores a drawn logo under a name made from its content and returns that key. Storing the same again changes nothing. */
export async function storeLogo(files: FileStore, companyId: number, png: Buffer): Promise<string> {
  const key = `logo/${companyId}/${createHash('sha256').update(png).digest('hex')}${DRAWN}`;
  await files.put(key, png);
  return key;
}

/**
 * Makes a stored PNG of `size` bytes the company's logo. The file of the one before stays: invoices that were sent show it.
 * @throws {NotFound} when there is no such company.
 */
export async function setLogo(uow: UnitOfWork, logoKey: string, size: number): Promise<CompanyRecord> {
  const { companyId, now, transaction } = uow;
  await changeCompany(uow, { logoKey });
  await StoredFile.upsert(
    {
      companyId,
      fileKey: logoKey,
      kind: 'logo',
      contentType: 'image/png',
      size,
      storedAt: now,
      createdAt: now,
      updatedAt: now,
    },
    { transaction, fields: ['storedAt', 'updatedAt'] },
  );
  return getCompany(uow.sql, companyId);
}
