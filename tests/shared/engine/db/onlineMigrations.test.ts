import type { Sequelize } from 'sequelize-typescript';
import { migrations } from '../../../../shared/engine/migrations/steps';
import type { Migration } from '../../../../shared/engine/migrations/steps/Migration';

/** Tables that grow with the use of the service: rebuilding or locking one stops the requests of every company. */
const largeTables = ['invoices', 'invoice_items', 'expenses', 'events', 'jobs', 'emails', 'payment_links', 'payments'];

/** Released before this rule, when the table could not be large yet. Never add a name. */
const earlier = ['20261121100100-add-invoice-series'];

const changesTable = new RegExp(
  `^\\s*(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX \\w+ ON)\\s+\`?(?:${largeTables.join('|')})\\b`,
  'i',
);
const isOnline = (statement: string): boolean =>
  /ALGORITHM\s*=\s*INSTANT/i.test(statement) ||
  (/ALGORITHM\s*=\s*(?:INPLACE|NOCOPY)/i.test(statement) && /LOCK\s*=\s*NONE/i.test(statement));

/** Returns the statements that a migration would run on its way up. Queries find nothing. */
async function statementsOf(migration: Migration): Promise<string[]> {
  const statements: string[] = [];
  const recorder = {
    query: (statement: string): Promise<unknown[]> => {
      statements.push(statement);
      return Promise.resolve([]);
    },
  };
  await migration.up(recorder as unknown as Sequelize);
  return statements;
}

async function offlineStatements(list: readonly Migration[]): Promise<string[]> {
  const found = await Promise.all(
    list.map(async (migration) =>
      (await statementsOf(migration))
        .filter((statement) => changesTable.test(statement) && !isOnline(statement))
        .map((statement) => `${migration.name}: ${statement}`),
    ),
  );
  return found.flat();
}

test('migrations of large tables › say that they neither rebuild nor lock the table, or are refused by the server', async () => {
  expect(await offlineStatements(migrations.filter(({ name }) => !earlier.includes(name)))).toEqual([]);
});

test.each([
  ['ALTER TABLE invoices ADD COLUMN x INT NULL', false],
  ['ALTER TABLE invoices ADD COLUMN x INT NULL, ALGORITHM=INSTANT', true],
  ['CREATE INDEX jobs_x ON jobs (x)', false],
  ['ALTER TABLE jobs ADD KEY jobs_x (x), ALGORITHM=INPLACE', false],
  ['ALTER TABLE jobs ADD KEY jobs_x (x), ALGORITHM=INPLACE, LOCK=NONE', true],
  ['ALTER TABLE companies ADD COLUMN x INT NULL', true],
])('%s › is accepted: %s', async (statement, isAccepted) => {
  const migration: Migration = {
    name: 'example',
    up: async (sql) => {
      await sql.query(statement);
    },
    down: () => Promise.resolve(),
  };
  expect((await offlineStatements([migration])).length === 0).toBe(isAccepted);
});
