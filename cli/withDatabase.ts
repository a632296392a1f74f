import { loadConfig } from '../config/env';
import {
  DatabaseClock,
  installationWork,
  type InstallationWork,
  openDatabase,
  unitOfWork,
  type UnitOfWork,
} from '../shared/engine/db';
import { models } from '../shared/models';
import { createLogger } from '../shared/engine/log';

/** The actor in the events of these commands. */
export const actor = 'cli';

export interface CommandTransactions {
  readonly ofCompany: <T>(companyId: number, work: (uow: UnitOfWork) => Promise<T>) => Promise<T>;
  readonly ofInstallation: <T>(work: (work: InstallationWork) => Promise<T>) => Promise<T>;
}

/** Runs `work` in one transaction on the configured database. */
export function withDatabase<T>(work: (work: InstallationWork) => Promise<T>): Promise<T> {
  return withTransactions(({ ofInstallation }) => ofInstallation(work));
}

/** Opens the configured database for work in several transactions, and closes it. */
export async function withTransactions<T>(use: (transactions: CommandTransactions) => Promise<T>): Promise<T> {
  const clock = new DatabaseClock(createLogger('silent', actor));
  const sequelize = openDatabase({ ...loadConfig(), databasePoolSize: 2 }, models, clock);
  try {
    return await use({
      ofCompany: (companyId, work) => unitOfWork(sequelize, clock, { companyId, actor }, work),
      ofInstallation: (work) => installationWork(sequelize, clock, actor, work),
    });
  } finally {
    await sequelize.close();
  }
}
