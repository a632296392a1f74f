import { createHash } from 'node:crypto';
import { StoredFile } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { FileStore } from '../../files/FileStore';
import { getCompany, type CompanyRecord } from '../companies/CompanyRecord';
import { changeLogo } from './changeLogo';
import type { LogoImage } from './LogoImage';

/** Keeps the picture under a name made from its content and answers that key. Storing the same again changes nothing. */
export async function storeLogo(files: FileStore, companyId: number, logo: LogoImage): Promise<string> {
  const key = `logo/${companyId}/${createHash('sha256').update(logo.bytes).digest('hex')}.${logo.extension}`;
  await files.put(key, logo.bytes);
  return key;
}

/**
 * Makes a stored picture the company's logo. The file of the one before stays: invoices that were sent show it.
 * @throws {NotFound} when there is no such company.
 */
export async function setLogo(uow: UnitOfWork, logoKey: string, logo: LogoImage): Promise<CompanyRecord> {
  const { companyId, now, transaction } = uow;
  await changeLogo(uow, logoKey);
  await StoredFile.upsert(
    {
      companyId,
      fileKey: logoKey,
      kind: 'logo',
      contentType: logo.contentType,
      size: logo.bytes.length,
      storedAt: now,
      createdAt: now,
      updatedAt: now,
    },
    { transaction, fields: ['storedAt', 'updatedAt'] },
  );
  return getCompany(uow.sql, companyId);
}
