import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound } from '../../errors';
import { changeLogo } from './changeLogo';

/**
 * Invoices and e-mails begin with the company's name again, but for those that were sent before.
 * @throws {NotFound} when there is no logo.
 */
export async function removeLogo(uow: UnitOfWork): Promise<void> {
  if ((await changeLogo(uow, null)) === null) throw new NotFound('logo');
}
