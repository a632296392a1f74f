import { setTimeout as sleep } from 'node:timers/promises';
import { sampleExpense } from '../installation/samples';
import { apiLoad, json } from './apiLoad';
import { oneByOne } from '../measuring/Sample';
import type { Row } from './Row';

const rowsOf = { full: 50_000, quick: 10_000 };
const pollMs = 20;

export const importExpenses: Row = {
  name: 'import',
  what: 'import of a file of 50,000 expenses, rows a second, one worker',
  limit: { what: 'the same by POST /api/expenses', atLeast: 2 },
  prepare(bench, quick) {
    const { apiUrl, seeded } = bench.installation;
    const { categoryIds } = seeded.expenses;
    const rows = rowsOf[quick ? 'quick' : 'full'];
    const expenses = Array.from({ length: rows }, (_, index) => {
      const { vendor, description, amount, expenseDate, status } = sampleExpense(index);
      const categoryId = categoryIds[index % categoryIds.length] ?? 0;
      return { categoryId, vendor, description, amount: Number(amount), expenseDate, status };
    });
    const lines = [Object.keys(expenses[0] ?? {}), ...expenses.map((expense) => Object.values(expense))];
    const file = lines.map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n');
    const bodies = expenses.map((expense) => JSON.stringify(expense));
    const requests = { method: 'POST', paths: ['/api/expenses'], bodies, expected: json(201) } as const;
    const project = oneByOne(() => importFile(apiUrl, seeded.token, { file, rows }), { times: 1, unitsEach: rows });
    return Promise.resolve({ project, limit: apiLoad(bench, requests) });
  },
};

/** Uploads a file and waits for the end of its import. @throws {Error} unless each row has created an expense. */
async function importFile(
  apiUrl: string,
  token: string,
  { file, rows }: { file: string; rows: number },
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const body = new FormData();
  body.set('type', 'expenses');
  body.set('file', new Blob([file]), 'expenses.csv');
  let response = await fetch(`${apiUrl}/api/imports`, { method: 'POST', headers, body });
  const location = response.headers.get('Location') ?? '';
  for (;;) {
    const state = (await response.json()) as { status: string; created: number };
    if (!response.ok || state.status === 'failed') throw new Error(`import: ${JSON.stringify(state)}`);
    if (state.status === 'done' && state.created === rows) return;
    if (state.status === 'done') throw new Error(`import: ${state.created} of ${rows} rows have made an expense`);
    await sleep(pollMs);
    response = await fetch(`${apiUrl}${location}`, { headers });
  }
}
