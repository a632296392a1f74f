import type { Services } from '../../shared/services';
import { createCompany, createExpense } from '../support/factories';
import { eventually } from '../support/eventually';
import { installation, openTestServices } from '../support/installation';
import { startWorkerProcess, type WorkerProcess } from '../support/processes';
import { multiplySeries, wrongCounts } from '../support/schedules';

/** Many, so that a fast machine has not made all of them before the first workers are killed. */
const SERIES = 2_000;
const DAYS = 4;
const ALL = SERIES * DAYS;

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});

/** A zone in which it is about noon, so that no midnight comes in between. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead >= 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Daily series that have missed so many days, today included. */
async function missedDays(): Promise<{ companyId: number; first: string }> {
  const { companyId } = await createCompany(services, { timezone: zoneAtNoon() });
  const { id } = await createExpense(services, companyId, { recurring: 'daily' });
  const [day] = await services.sql.rows<{ first: string }>(
    'SELECT DATE_SUB(recurringSince, INTERVAL ? DAY) AS first FROM expenses WHERE id = ?',
    [DAYS - 1, id],
  );
  const first = day?.first.slice(0, 10) ?? '';
  await services.sql.run(
    'UPDATE expenses SET nextDueDate = ?, anchorDate = ?, recurringSince = ?, dueAt = ? WHERE id = ?',
    [first, first, first, first, id],
  );
  await multiplySeries(services, id, SERIES);
  return { companyId, first };
}

test('8,000 occurrences due, two workers killed repeatedly › each of them once in the end', async () => {
  const { companyId, first } = await missedDays();
  const env = { ...(await installation()), WORKER_QUEUES: 'schedule' };
  const countOf = async (condition: string): Promise<number> => {
    const [row] = await services.sql.rows<{ total: number }>(
      `SELECT COUNT(*) AS total FROM expenses WHERE companyId = ? AND ${condition}`,
      [companyId],
    );
    return row?.total ?? 0;
  };
  const made = (): Promise<number> => countOf('seriesId IS NOT NULL');
  const startTwo = (): Promise<WorkerProcess[]> => Promise.all([1, 2].map(() => startWorkerProcess(env)));

  const atDeath: number[] = [];
  for (let round = 1; round <= 2; round += 1) {
    const before = await made();
    const workers = await startTwo();
    // Scans of other time slots: both scan, and none waits for an entry that a killed one holds.
    for (const n of [1, 2]) {
      await services.queues.add({ queue: 'schedule', name: 'scan', jobId: `scan-${round}-${n}`, data: {} });
    }
    await eventually(async () => {
      const now = await made();
      return now > before || now === ALL;
    });
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    atDeath.push(await made());
  }
  expect(atDeath.filter((count) => count > 0 && count < ALL).length).toBeGreaterThan(0);

  // These request their scans themselves, and go on with what the killed ones had begun.
  const last = await startTwo();
  await eventually(async () => (await made()) >= ALL && (await countOf('dueAt <= UTC_TIMESTAMP()')) === 0);
  for (const worker of last) expect(await worker.end('SIGTERM')).toEqual([0, null]);

  expect(await made()).toBe(ALL);
  const [distinct] = await services.sql.rows(
    `SELECT COUNT(DISTINCT seriesId, occurrenceDate) AS occurrences, MIN(occurrenceDate) AS first,
        SUM(occurrenceDate = expenseDate AND status = 'pending' AND recurring = 'none') AS right_
       FROM expenses WHERE companyId = ? AND seriesId IS NOT NULL`,
    [companyId],
  );
  expect(distinct).toEqual({ occurrences: ALL, first, right_: String(ALL) });
  const stands = await services.sql.rows(
    `SELECT DATEDIFF(nextDueDate, ?) AS days, COUNT(*) AS series FROM expenses
      WHERE companyId = ? AND seriesId IS NULL GROUP BY nextDueDate`,
    [first, companyId],
  );
  expect(stands).toEqual([{ days: DAYS, series: SERIES }]);
  const [events] = await services.sql.rows(
    `SELECT COUNT(*) AS events, COUNT(DISTINCT e.subjectId) AS subjects FROM events e
       JOIN expenses x ON x.companyId = e.companyId AND x.id = e.subjectId AND x.seriesId IS NOT NULL
      WHERE e.companyId = ? AND e.type = 'expense.created' AND e.actor = 'schedule:expenses'`,
    [companyId],
  );
  expect(events).toEqual({ events: ALL, subjects: ALL });
  expect(await wrongCounts(services, companyId)).toEqual([]);
});
