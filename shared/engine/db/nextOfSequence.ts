import type { UnitOfWork } from './unitOfWork';

/**
 * Returns the next number of a company's series: gapless, because the count rolls back with the transaction. It locks the series until
 * the commit, so call it late. One round trip: LAST_INSERT_ID(expr) makes the value that was taken the statement's insert id (MySQL
 * manual).
 */
export async function nextOfSequence(uow: UnitOfWork, series: string): Promise<number> {
  const take = (): Promise<{ affectedRows: number; insertId: number }> =>
    uow.sql.run(
      'UPDATE number_sequences SET nextValue = LAST_INSERT_ID(nextValue) + 1 WHERE companyId = ? AND series = ?',
      [uow.companyId, series],
    );
  const taken = await take();
  if (taken.affectedRows > 0) return taken.insertId;
  await uow.sql.run('INSERT IGNORE INTO number_sequences (companyId, series, nextValue) VALUES (?, ?, 1)', [
    uow.companyId,
    series,
  ]);
  return (await take()).insertId;
}
