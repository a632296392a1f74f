import { Client } from '../../../../shared/models';
import { createLogger } from '../../../../shared/engine/log/log';
import type { Services } from '../../../../shared/services';
import { createClient, createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});

/** The line that is logged about an error. */
function lineOf(error: unknown): { text: string; err: Record<string, unknown> } {
  let text = '';
  createLogger('info', 'test', { destination: { write: (line) => void (text += line) } }).error(
    { err: error },
    'it failed',
  );
  return { text, ...(JSON.parse(text) as { err: Record<string, unknown> }) };
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  );

describe('an error in the log', () => {
  test('of a prepared statement › has codes and the statement, none of its values', async () => {
    const error = await errorOf(
      services.sql.run('INSERT INTO clients (companyId, name, email) VALUES (?, ?, ?)', [
        1,
        'Sekret Name',
        'x'.repeat(999),
      ]),
    );
    const { text, err } = lineOf(error);
    expect(err).toMatchObject({
      code: expect.stringMatching(/^ER_/) as string,
      errno: expect.any(Number) as number,
      sqlState: expect.any(String) as string,
      sql: 'INSERT INTO clients (companyId, name, email) VALUES (?, ?, ?)',
      stack: expect.stringContaining('    at ') as string,
    });
    expect(text).not.toContain('Sekret');
    expect(text).not.toContain('xxx');
  });

  test('of Sequelize, whose statement has the values in it › has none of them', async () => {
    const { companyId } = await createCompany(services);
    const client = await createClient(services, companyId);
    const name = `Sekret 4711 O'Brien \\ "${'x'.repeat(300)}`;
    const now = new Date();
    const updated = await errorOf(Client.update({ name }, { where: { companyId, id: client.id } }));
    const created = await errorOf(
      Client.bulkCreate([{ companyId, name, softDelete: false, createdAt: now, updatedAt: now }]),
    );
    expect((created as { sql: string }).sql).toContain('Sekret 4711');
    for (const error of [updated, created]) {
      const { text, err } = lineOf(error);
      expect(err).toMatchObject({
        code: 'ER_DATA_TOO_LONG',
        sql: expect.stringMatching(/^(UPDATE|INSERT INTO) `clients` /) as string,
      });
      for (const value of ['Sekret', '4711', 'Brien', 'xxx']) expect(text).not.toContain(value);
    }
  });

  test('of a duplicate › names the key, and not the value', async () => {
    const { companyId } = await createCompany(services);
    const statement = 'INSERT INTO number_sequences (companyId, series, nextValue) VALUES (?, ?, 1)';
    await services.sql.run(statement, [companyId, "Sekret O'Brien' for key 'x"]);
    const { text, err } = lineOf(await errorOf(services.sql.run(statement, [companyId, "Sekret O'Brien' for key 'x"])));
    expect(err).toMatchObject({
      code: 'ER_DUP_ENTRY',
      message: expect.stringMatching(/for key '[\w.]*PRIMARY'$/) as string,
    });
    expect(text).not.toContain('Sekret');
    expect(text).not.toContain('Brien');
  });

  test('that wraps another › has its cause, with the same care', () => {
    const cause = Object.assign(new Error("Duplicate entry 'Sekret' for key 'k'"), {
      sqlState: '23000',
      sql: "SELECT 'Sekret', 4711",
      parameters: ['Sekret'],
      config: { password: 'Sekret' },
    });
    const { text, err } = lineOf(new Error('outer', { cause }));
    expect(err).toMatchObject({
      message: 'outer',
      cause: { message: "Duplicate entry '…' for key 'k'", sql: 'SELECT ?, ?' },
    });
    expect(text).not.toContain('Sekret');
  });

  test('that is none of MySQL › keeps its message and no fields but known ones', () => {
    const error = Object.assign(new Error("it's 'quoted'"), { response: { body: 'Sekret' }, syscall: 'connect' });
    const { text, err } = lineOf(error);
    expect(err).toMatchObject({ message: "it's 'quoted'", syscall: 'connect' });
    expect(text).not.toContain('Sekret');
  });
});
