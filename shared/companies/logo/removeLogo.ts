import type { UnitOfWork } from '../../engine/db';
import { NotFound } from '../../engine/errors';
import { changeCompany } from '../updateCompany';
import { releaseLogo } from './setLogo';

/**
 * Invoices and e-mails begin with the company's name again, but for those that were sent before.
 * @throws {NotFound} when there is no logo.
 */
export async function removeLogo(uow: UnitOfWork): Promise<void> {
  const before = await changeCompany(uow, { logoKey: null });
  if (before.logoKey === null) throw new NotFound('logo');
  await releaseLogo(uow, before.logoKey);
}
