import { loadConfig } from '../../config/env';
import { DatabaseClock } from '../../shared/database/DatabaseClock';
import { openDatabase } from '../../shared/database/sequelize';
import { createLogger } from '../../shared/log';
import { unitOfWork, type UnitOfWork } from '../../shared/database/unitOfWork';
import { noCompany } from '../../shared/usecases/companies/createCompany';

/** Who the events of these commands name. */
export const actor = 'cli';

/**
 * Runs `work` in one transaction on the configured database. Its company is none ({@link noCompany}): work that acts for one
 * says so with `{ ...uow, companyId }`.
 */
export async function withDatabase<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
  const clock = new DatabaseClock(createLogger('silent', actor));
  const sequelize = openDatabase({ ...loadConfig(), databasePoolSize: 2 }, clock);
  try {
    return await unitOfWork(sequelize, clock, noCompany(actor), work);
  } finally {
    await sequelize.close();
  }
}
