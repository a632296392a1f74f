import { RetryTransaction, type SqlText, type UnitOfWork } from '../engine/db';
import { ValidationFailed } from '../engine/errors';

/** The values that a new expense takes from its company and its category, with the versions of both. */
export interface ExpenseBasis {
  currency: string;
  companyUpdatedAt: string;
  categoryName: string;
  categoryUpdatedAt: string;
}

/**
 * Returns the cached company and category, or reads them. Without the cache a create takes a third longer (0.82 ms in
 * place of 0.60): one round trip more. That the basis {@link isCurrent} is part of a statement which the create makes anyway.
 * @throws {ValidationFailed} for a category that is not this company's, or is deleted.
 */
export async function takeBasis(uow: UnitOfWork, categoryId: number): Promise<ExpenseBasis> {
  const key = keyOf(uow, categoryId);
  const known = uow.cache.get(key) as ExpenseBasis | undefined;
  const basis = known ?? (await readBasis(uow, categoryId));
  uow.cache.set(key, basis);
  return basis;
}

/** Returns the text after FROM that yields one row while the basis is current. */
export function isCurrent({ companyId }: UnitOfWork, categoryId: number, basis: ExpenseBasis): SqlText {
  return {
    text: `companies o JOIN categories c ON c.companyId = o.id
      WHERE o.id = ? AND o.updatedAt = ? AND c.id = ? AND c.updatedAt = ? AND c.softDelete = 0`,
    values: [companyId, basis.companyUpdatedAt, categoryId, basis.categoryUpdatedAt],
  };
}

/** Returns the error for a stale basis: the transaction is retried and reads it again. */
export function staleBasis(uow: UnitOfWork, categoryId: number): RetryTransaction {
  uow.cache.delete(keyOf(uow, categoryId));
  return new RetryTransaction('the company or the category of a new expense has changed');
}

/** @throws {ValidationFailed} the same for a category that is absent, deleted or another company's. */
export async function readBasis({ sql, companyId }: UnitOfWork, categoryId: number): Promise<ExpenseBasis> {
  const [basis] = await sql.rows<ExpenseBasis>(
    `SELECT o.currency, o.updatedAt AS companyUpdatedAt, c.name AS categoryName, c.updatedAt AS categoryUpdatedAt
       FROM companies o JOIN categories c ON c.companyId = o.id WHERE o.id = ? AND c.id = ? AND c.softDelete = 0`,
    [companyId, categoryId],
  );
  if (basis === undefined) throw ValidationFailed.at('categoryId', 'is not a category of this company');
  return basis;
}

const keyOf = ({ companyId }: UnitOfWork, categoryId: number): string => `expense basis ${companyId} ${categoryId}`;
