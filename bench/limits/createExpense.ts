import { bareDatabase, run } from './bareDatabase';
import { bareTransaction } from './bareTransaction';
import { bodyText } from './bodyText';
import { countExpense, insertExpense, insertExpenseEvent } from './expenseStatements';
import { runBareServer } from './runBareServer';

interface Body {
  vendor: string;
  description: string;
  amount: number;
  expenseDate: string;
}

const companyId = process.env['COMPANY_ID'] ?? '';
const categoryId = process.env['CATEGORY_ID'] ?? '';
const pool = bareDatabase();

runBareServer(async (ctx) => {
  const { vendor, description, amount, expenseDate } = JSON.parse(await bodyText(ctx.req)) as Body;
  const id = await bareTransaction(pool, async (connection) => {
    const values = [companyId, categoryId, vendor, description, amount.toFixed(2), expenseDate, null, null];
    const inserted = await run(connection, insertExpense, values);
    await run(connection, insertExpenseEvent, [companyId, String(inserted)]);
    await run(connection, countExpense, [companyId]);
    return inserted;
  });
  ctx.status = 201;
  ctx.body = { id, companyId, categoryId, vendor, description, amount, expenseDate };
});
