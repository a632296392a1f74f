import { loadConfig } from '../../config/env';
import { systemClock } from '../../shared/clock';
import { openDatabase } from '../../shared/database/sequelize';
import { unitOfWork, type UnitOfWork } from '../../shared/database/unitOfWork';
import { noCompany } from '../../shared/usecases/companies/createCompany';

/** Who the events of these commands name. */
export const actor = 'cli';

/**
 * Runs `work` in one transaction on the configured database. Its company is none ({@link noCompany}): work that acts for one
 * says so with `{ ...uow, companyId }`.
 */
export async function withDatabase<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
  const sequelize = openDatabase({ ...loadConfig(), databasePoolSize: 2 });
  try {
    return await unitOfWork(sequelize, systemClock, noCompany(actor), work);
  } finally {
    await sequelize.close();
  }
}
