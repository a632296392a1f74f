import { bareExpenseColumns } from './bareColumns';
import { bareDatabase, rows } from './bareDatabase';
import { runBareServer } from './runBareServer';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();
/** Reads page, categories and total in one round trip, as the project does. */
const latestTen = `SELECT ${bareExpenseColumns},
    (SELECT SUM(total) FROM record_counts WHERE companyId = ? AND kind = 'expense' AND softDelete = 0) AS listed
  FROM (SELECT id, expenseDate AS sortKey FROM expenses WHERE companyId = ? AND softDelete = 0
         ORDER BY expenseDate DESC, id DESC LIMIT 10) page
  JOIN expenses e ON e.companyId = ? AND e.id = page.id
  JOIN categories c ON c.companyId = e.companyId AND c.id = e.categoryId
  ORDER BY page.sortKey DESC, page.id DESC`;

runBareServer(async (ctx) => {
  const data = await rows<{ listed: string }>(pool, latestTen, [companyId, companyId, companyId]);
  ctx.body = { data, total: Number(data[0]?.listed ?? 0) };
});
