import type { SqlText } from '../../database/sql';
import { StartAgain, type UnitOfWork } from '../../database/unitOfWork';
import { ValidationFailed } from '../../errors';

/** What a new expense takes from its company and its category, and the versions of both that it was read from. */
export interface ExpenseBasis {
  currency: string;
  companyUpdatedAt: string;
  categoryName: string;
  categoryUpdatedAt: string;
}

/**
 * The basis as this process has read it before, or as it is. The round trip that this saves is an eighth of a create; that the
 * basis is still {@link unchanged} is then part of a statement which the create makes anyway.
 * @throws {ValidationFailed} for a category that is not this company's, or is deleted.
 */
export async function recallBasis(uow: UnitOfWork, categoryId: number): Promise<ExpenseBasis> {
  const key = keyOf(uow, categoryId);
  const known = uow.remembered.get(key) as ExpenseBasis | undefined;
  const basis = known ?? (await readBasis(uow, categoryId));
  uow.remembered.set(key, basis);
  return basis;
}

/** What follows FROM: one row as long as company and category are the versions that the basis was read from. */
export function unchanged({ companyId }: UnitOfWork, categoryId: number, basis: ExpenseBasis): SqlText {
  return {
    text: `companies o JOIN categories c ON c.companyId = o.id
      WHERE o.id = ? AND o.updatedAt = ? AND c.id = ? AND c.updatedAt = ? AND c.softDelete = 0`,
    values: [companyId, basis.companyUpdatedAt, categoryId, basis.categoryUpdatedAt],
  };
}

/** What to throw where it is not unchanged: the transaction starts again and reads the basis anew. */
export function outdatedBasis(uow: UnitOfWork, categoryId: number): StartAgain {
  uow.remembered.delete(keyOf(uow, categoryId));
  return new StartAgain('the company or the category of a new expense has changed');
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
