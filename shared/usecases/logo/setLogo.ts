import { createHash } from 'node:crypto';
import { StoredFile } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { FileStore } from '../../files/FileStore';
import { getCompany, type CompanyRecord } from '../companies/CompanyRecord';
import { changeLogo } from './changeLogo';

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
  await changeLogo(uow, logoKey);
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
