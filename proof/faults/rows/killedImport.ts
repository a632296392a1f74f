import { setTimeout as sleep } from 'node:timers/promises';
import { createCategory } from '../../../shared/categories';
import type { Fault } from '../Fault';
import { sendEmail } from '../operations';
import { secondsUntilAllWorks } from '../calls';
import { waitUntil } from '../../installation/waiting';
import type { World } from '../World';

const rows = { full: 30_000, quick: 8_000 };
const kills = { full: 12, quick: 3 };
const endedWithinMs = { full: 600_000, quick: 120_000 };

export const killedImport: Fault = {
  name: 'killed-import',
  what: 'kill -9 of all workers, again and again, while they import a file of expenses: each row is one expense',
  recoversWithin: 30,
  mayBeUncertain: true,
  play: async (world, random, options) => {
    const size = options.quick ? 'quick' : 'full';
    const vendor = `Import ${random.between(1, 1_000_000_000)}`;
    const importId = await upload(world, vendor, rows[size]);
    for (let kill = 0; kill < kills[size]; kill++) {
      await sleep(random.between(50, 1_500));
      await Promise.all(world.installation.workers.map(({ machine }) => machine.kill()));
      await Promise.all(world.installation.workers.map(({ machine }) => machine.start()));
    }
    const recoverySeconds = await secondsUntilAllWorks(world, [sendEmail]);
    await waitUntil(async () => (await stateOf(world, importId)).status === 'done', endedWithinMs[size]);
    const { status, created } = await stateOf(world, importId);
    const [made] = await world.installation.services.sql.rows<{ found: number; different: number }>(
      `SELECT COUNT(*) AS found, COUNT(DISTINCT description) AS different FROM expenses
        WHERE companyId = ? AND vendor = ?`,
      [world.companyId, vendor],
    );
    const { found = 0, different = 0 } = made ?? {};
    const lost = rows[size] - different;
    const counts = { expected: rows[size], found: different, lost, doubled: found - different, uncertain: 0 };
    const isRight = status === 'done' && created === rows[size];
    const problems = isRight ? [] : [`the import is ${status} and says that it created ${created} of ${rows[size]}`];
    return { accepted: rows[size], ...counts, recoverySeconds, problems };
  },
};

/** Uploads a file. It has no external ids, which would hide a row that is imported twice. */
async function upload(
  { installation, companyId, token, firstApi }: World,
  vendor: string,
  count: number,
): Promise<number> {
  const category = `${vendor} category`;
  const scope = { companyId, actor: 'proof' };
  await installation.services.perform(scope, (uow) => createCategory(uow, { name: category }));
  const lines = Array.from({ length: count }, (_, at) => `${vendor},1.50,2026-01-31,${category},row ${at}`);
  const form = new FormData();
  form.set('type', 'expenses');
  form.set('file', new Blob([['vendor,amount,expenseDate,category,description', ...lines].join('\n')]), 'rows.csv');
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${firstApi.url}/api/imports`, { method: 'POST', headers, body: form });
  if (response.status !== 202) throw new Error(`the file was refused: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

async function stateOf({ installation, companyId }: World, id: number): Promise<{ status: string; created: number }> {
  const [row] = await installation.services.sql.rows<{ status: string; created: number }>(
    'SELECT status, created FROM imports WHERE companyId = ? AND id = ?',
    [companyId, id],
  );
  return row ?? { status: 'absent', created: 0 };
}
