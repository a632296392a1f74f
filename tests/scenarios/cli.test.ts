import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { projectRoot } from '../../config/paths';
import { queueNames, queues } from '../../config/queues';
import { Job, PaymentLink } from '../../shared/models';
import { Event } from '../support/models';
import { pausedQueues } from '../../shared/engine/jobs/queuePauses';
import { unitOfWork } from '../../shared/engine/db/unitOfWork';
import type { Services } from '../../shared/services';
import { requestInvoiceEmail } from '../../shared/emails/requestInvoiceEmail';
import { createCompany, createInvoice } from '../support/factories';
import { runCli, runCliProcess } from '../support/commandLine';
import { atEnd, installation, openTestServices } from '../support/installation';
import { startApi } from '../support/server';

/** Runs the CLI on a pseudo-terminal, by util-linux's `script`. Returns what a person sees. */
async function onTerminal(...args: string[]): Promise<string> {
  return typedOnTerminal('', ...args);
}

/** Types these lines into the terminal on which the command runs. */
async function typedOnTerminal(typed: string, ...args: string[]): Promise<string> {
  const environment = { PATH: process.env['PATH'] ?? '', ...(await installation()) };
  const command = [process.execPath, join(projectRoot, 'dist/cli/index.js'), ...args].join(' ');
  return new Promise((resolve) => {
    const options = { env: environment, timeout: 120_000 };
    const child = execFile('script', ['-qec', command, '/dev/null'], options, (_, stdout) => resolve(stdout));
    if (typed !== '') child.stdin?.end(typed);
  });
}

async function succeed<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runCli(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

async function refuse(args: string[], env: Record<string, string> = {}): Promise<object> {
  return refusal(await runCli(args, env));
}

function refusal({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof runCli>>): object {
  expect(stdout).toBe('');
  return { exitCode, ...(JSON.parse(stderr) as object) };
}

describe('a process of its own', () => {
  test('what it did › is on stdout, and the exit code is 0', async () => {
    const { exitCode, stdout, stderr } = await runCliProcess(['companies', 'create', '--name', 'Process']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Process' });
  });

  test.each([
    [['keys', 'revoke', '999999'], 1, 'not_found'],
    [['keys', 'create', '--company', 'x'], 2, 'usage'],
    [[], 2, 'usage'],
  ])('%j › what is wrong is on stderr, and the exit code is %i', async (args, exitCode, code) => {
    expect(refusal(await runCliProcess(args))).toMatchObject({ exitCode, code });
  });

  test('--help › is on stdout, and the exit code is 0', async () => {
    const help = await runCliProcess(['--help']);
    expect(help).toEqual({ exitCode: 0, stdout: expect.stringContaining('companies') as string, stderr: '' });
    expect(await runCli(['--help'])).toEqual(help);
  });
});

describe('companies and keys', () => {
  test('a company and a key made here work in the API, until the key is revoked here', async () => {
    const company = await succeed<{ id: number }>(
      ...['companies', 'create', '--name', 'Acme', '--email', 'billing@acme.example', '--currency', 'USD'],
      ...['--locale', 'id-ID', '--timezone', 'Europe/Berlin'],
    );
    expect(company).toMatchObject({
      name: 'Acme',
      email: 'billing@acme.example',
      currency: 'USD',
      locale: 'id-ID',
      timezone: 'Europe/Berlin',
    });
    const key = await succeed<{ id: number; token: string }>(
      ...['keys', 'create', '--company', `${company.id}`, '--scopes', 'write, read', '--name', 'CI'],
      ...['--expires', '2100-01-01T00:00:00Z'],
    );
    expect(key).toMatchObject({ name: 'CI', scopes: ['read', 'write'], expiresAt: '2100-01-01T00:00:00.000Z' });
    const api = await startApi();
    const shown = await api.as(key.token).get('/api/company').expect(200);
    expect(shown.body).toMatchObject(company);
    await api.as(key.token).get('/api/api-keys').expect(403);
    expect(await succeed('keys', 'revoke', `${key.id}`)).toMatchObject({
      id: key.id,
      revokedAt: expect.any(String) as string,
    });
    const later = await startApi();
    await later.as(key.token).get('/api/company').expect(401);
    const events = await Event.findAll({ where: { companyId: company.id }, order: ['id'] });
    expect(events.map(({ type, actor }) => [type, actor])).toEqual([
      ['company.created', 'cli'],
      ['api_key.created', 'cli'],
      ['api_key.revoked', 'cli'],
    ]);
  });

  test('currency and time zone that are not given › are asked for on a terminal, and nowhere else', async () => {
    const create = ['companies', 'create', '--name', 'Terminal'];
    const shown = await typedOnTerminal('CHF\nEurope/Zurich\n', ...create);
    expect(shown).toMatch(/Currency, an ISO 4217 code \[IDR\]: .*\n?[^]*Time zone, an IANA name \[Asia\/Jakarta\]: /);
    expect(shown).toMatch(/\ncurrency +CHF\r?\n[^]*timezone +Europe\/Zurich/);
    expect(await typedOnTerminal('\n', ...create, '--currency', 'EUR')).toMatch(
      /currency +EUR[^]*timezone +Asia\/Jakarta/,
    );
    const json = await onTerminal(...create, '--json');
    for (const text of [json, (await runCli(create)).stdout, (await runCli([...create, '--json'])).stdout]) {
      expect(JSON.parse(text)).toMatchObject({ name: 'Terminal', currency: 'IDR', timezone: 'Asia/Jakarta' });
    }
    expect(await typedOnTerminal('francs\n\n', ...create)).toMatch(/validation_failed[^]*currency/);
  });

  test('a key reads and writes and never expires unless told otherwise', async () => {
    const { companyId } = await createCompany(await openTestServices());
    expect(await succeed('keys', 'create', '--company', `${companyId}`, '--json')).toMatchObject({
      token: expect.stringMatching(/^inv_/) as string,
      scopes: ['read', 'write'],
      expiresAt: null,
    });
  });

  test('what is wrong › is told as JSON on stderr, with exit code 1, or 2 for a wrong command line', async () => {
    const cases: [string[], number, string][] = [
      [['companies', 'create', '--name', 'A', '--email', 'nobody'], 1, 'validation_failed'],
      [['keys', 'create', '--company', '1', '--expires', '2001-01-01T00:00:00Z'], 1, 'validation_failed'],
      [['keys', 'revoke', '999999'], 1, 'not_found'],
      [['emails', 'settle', '999999', '--outcome', 'sent'], 1, 'not_found'],
      [['links', 'sync', '--invoice', '999999'], 1, 'not_found'],
      [['keys', 'create', '--company', 'x'], 2, 'usage'],
      [['emails', 'settle', '1', '--outcome', 'perhaps'], 2, 'usage'],
      [['jobs', 'retry', '1', '--status', 'failed'], 2, 'usage'],
      [[], 2, 'usage'],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => refuse(args)));
    expect(outcomes.map((outcome, index) => ({ args: cases[index]?.[0], ...outcome }))).toEqual(
      cases.map(([args, exitCode, code]) => ({
        ...{ args, exitCode, code, message: expect.stringMatching(/./) as string },
        ...(code === 'validation_failed' && { errors: expect.any(Array) as object[] }),
      })),
    );
  });

  test('a database that cannot be used is told at once, in the words of the server and without the password', async () => {
    const messageOf = async (args: string[], url: string): Promise<string> => {
      const told = await refuse(args, { DATABASE_URL: url });
      expect(told).toMatchObject({ exitCode: 1, code: 'service_unavailable' });
      return (told as { message: string }).message;
    };
    const { DATABASE_URL = '' } = await installation();
    const { host } = new URL(DATABASE_URL);
    const away = 'mysql://root:s3cret-word@127.0.0.1:1/none';
    const wrongAccount = `mysql://nobody:s3cret-word@${host}/none`;
    const noDatabase = DATABASE_URL.replace(/[^/]+$/, 'none');
    for (const args of [
      ['jobs', 'list'],
      ['migrate', 'status'],
      ['migrate', 'up'],
    ]) {
      expect(await messageOf(args, away)).toMatch(/^the database server 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
      const refused = await messageOf(args, wrongAccount);
      expect(refused).toContain(`${host} cannot be used: Access denied for user 'nobody'`);
      expect(refused).not.toContain('s3cret-word');
      expect(await messageOf(args, noDatabase)).toMatch(/none.*CREATE DATABASE none/);
    }
    expect(await refuse(['jobs', 'list'], { DATABASE_URL: 'nonsense' })).toMatchObject({
      exitCode: 1,
      code: 'configuration',
    });
  });

  test('a database without the tables › says so and what to run; asking for its migrations creates none', async () => {
    const name = `empty_${randomUUID().slice(0, 8)}`;
    const connection = await createConnection(String(process.env['TEST_MYSQL_URL']));
    atEnd(async () => {
      await connection.query(`DROP DATABASE ${name}`);
      await connection.end();
    });
    await connection.query(`CREATE DATABASE ${name}`);
    const empty = { DATABASE_URL: `${String(process.env['TEST_MYSQL_URL']).replace(/\/+$/, '')}/${name}` };
    expect(JSON.parse((await runCli(['migrate', 'status'], empty)).stdout)).toMatchObject({ done: [] });
    expect((await connection.query(`SHOW TABLES IN ${name}`))[0]).toEqual([]);
    expect(await refuse(['jobs', 'list'], empty)).toMatchObject({
      exitCode: 1,
      code: 'schema_outdated',
      message: expect.stringMatching(/missing or older: Table '.*jobs' doesn't exist.*`migrate up`/) as string,
    });
  });
});

describe('jobs', () => {
  let services: Services;
  beforeAll(async () => {
    services = await openTestServices();
  });

  async function failedJob(): Promise<{ companyId: number; jobId: number }> {
    const { companyId } = await createCompany(services);
    const invoice = await createInvoice(services, companyId);
    // Without the relay to Redis that services.perform would add.
    const { id } = await unitOfWork(services.sequelize, services.clock, { companyId, actor: 'test' }, (uow) =>
      requestInvoiceEmail(uow, invoice.id),
    );
    const lastError = JSON.stringify({ code: 'email_refused', message: 'no such mailbox', status: 502 });
    await Job.update({ status: 'failed', attempt: 8, maxAttempt: 8, dedupeKey: null, lastError }, { where: { id } });
    return { companyId, jobId: id };
  }

  test('are listed, the newest first, a page after the other', async () => {
    const first = await failedJob();
    const second = await failedJob();
    const { data } = await succeed<{ data: { id: number }[] }>('jobs', 'list');
    expect(data.slice(0, 2).map(({ id }) => id)).toEqual([second.jobId, first.jobId]);
    expect(data[0]).toMatchObject({
      companyId: second.companyId,
      name: 'sendInvoiceEmail',
      status: 'failed',
      attempt: 8,
      error: { code: 'email_refused' },
    });
    const page = ['--status', 'failed', '--before', `${second.jobId}`, '--limit', '1'];
    const { data: next } = await succeed<{ data: object[] }>('jobs', 'list', ...page);
    expect(next).toMatchObject([{ id: first.jobId, queue: 'email', emailId: expect.any(Number) as number }]);
  });

  test('that failed are given new attempts and queued again', async () => {
    const { companyId, jobId } = await failedJob();
    expect(await succeed('jobs', 'retry', `${jobId}`)).toMatchObject({
      id: jobId,
      companyId,
      status: 'pending',
      queued: true,
    });
    expect(await services.queues.counts('email')).toMatchObject({ waiting: 1 });
    const { attempts } = queues.email.retries;
    expect(await Job.findOne({ where: { id: jobId } })).toMatchObject({
      attempt: 8,
      uncounted: 8,
      maxAttempt: attempts,
    });
    expect(await refuse(['jobs', 'retry', `${jobId}`])).toMatchObject({ exitCode: 1, code: 'job_not_failed' });
  });

  test('one that waits for its next attempt › is shown with it, with why the last one failed, and whether a pause holds it back', async () => {
    const { jobId } = await failedJob();
    const availableAt = new Date('2030-01-02T03:04:05.000Z');
    const error = {
      code: 'email_unavailable',
      message: 'cannot be reached',
      status: 504,
      detail: 'mail.internal:587: …',
    };
    await Job.update(
      {
        status: 'pending',
        attempt: 3,
        uncounted: 1,
        maxAttempt: 8,
        availableAt,
        lastError: JSON.stringify(error),
        endedAt: null,
      },
      { where: { id: jobId } },
    );
    const shown = {
      nextAttemptAt: availableAt.toISOString(),
      attemptsUsed: 2,
      attemptsAllowed: 8,
      error,
    };
    expect(await succeed('jobs', 'show', `${jobId}`)).toMatchObject({ ...shown, paused: false });
    await succeed('queues', 'pause', 'email');
    expect(await succeed('jobs', 'show', `${jobId}`)).toMatchObject({ ...shown, paused: true });
    await succeed('queues', 'resume', 'email');
  });

  test('one of them on a terminal › is shown whole, the parts of its error on lines of their own', async () => {
    const { jobId } = await failedJob();
    const message = `${'a long reason '.repeat(12)}in full`;
    const lastError = JSON.stringify({ code: 'email_refused', message, status: 502 });
    await Job.update({ lastError }, { where: { id: jobId } });
    const shown = await onTerminal('jobs', 'show', `${jobId}`);
    expect(shown).toMatch(/\nerror\.code +email_refused\r?\nerror\.message +a long reason/);
    expect(shown.replace(/\s+/g, ' ')).toContain(`error.message ${message} error.status 502`);
  });

  test('that are uncertain › are not retried: the message names the e-mail to settle', async () => {
    const { jobId } = await failedJob();
    await Job.update({ status: 'uncertain' }, { where: { id: jobId } });
    const { emailId } = await succeed<{ emailId: number }>('jobs', 'show', `${jobId}`);
    expect(await refuse(['jobs', 'retry', `${jobId}`])).toMatchObject({
      ...{ exitCode: 1, code: 'job_not_failed' },
      message: expect.stringContaining(`emails settle ${emailId} --outcome sent`) as string,
    });
  });

  test('that are not there, and e-mails › are named by the id that was given; an id and filters exclude each other', async () => {
    const missing = { exitCode: 1, code: 'not_found' };
    const job = { ...missing, message: 'job 999999 not found' };
    expect(await refuse(['jobs', 'retry', '999999'])).toEqual(job);
    expect(await refuse(['jobs', 'show', '999999'])).toEqual(job);
    expect(await refuse(['emails', 'settle', '999999', '--outcome', 'sent'])).toEqual({
      ...missing,
      message: 'e-mail 999999 not found',
    });
    expect(await refuse(['jobs', 'retry', '5', '--queue', 'email'])).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/an id, or options .* not both/) as string,
    });
  });

  test('are retried also while Redis is unreachable: the workers queue them later', async () => {
    const { jobId } = await failedJob();
    const { exitCode, stdout } = await runCli(['jobs', 'retry', `${jobId}`], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: jobId, status: 'pending', queued: false });
  });
});

describe('control', () => {
  test('a queue › is paused and resumed, on a terminal as text', async () => {
    expect(await succeed('queues', 'pause', 'email')).toMatchObject({ name: 'email', paused: true });
    const services = await openTestServices();
    expect([...(await pausedQueues(services.sql)).keys()]).toEqual(['email']);
    const table = await onTerminal('queues', 'list');
    expect(table).toMatch(/^name +paused +since +waiting +scheduled +running +failed +uncertain +oldestSeconds\r?\n/);
    expect(table).toMatch(/\nemail +true +2\d{3}-/);
    expect(JSON.parse(await onTerminal('queues', 'resume', 'email', '--json'))).toEqual({
      ...{ name: 'email', paused: false, wasPaused: true },
    });
    const refused = await onTerminal('queues', 'pause', 'nonsense');
    expect(refused).toMatch(/^code +usage\r?\nmessage +command-argument value 'nonsense'/);
    expect(refused.replace(/\s+/g, ' ')).toContain(`Allowed choices are ${queueNames.join(', ')}.`);
    expect(await succeed('workers', 'list')).toEqual({ data: [] });
  });

  test('failed jobs › are found, shown and retried together', async () => {
    const services = await openTestServices();
    const { companyId } = await createCompany(services);
    const invoice = await createInvoice(services, companyId);
    for (let count = 0; count < 3; count++) {
      const { id } = await unitOfWork(services.sequelize, services.clock, { companyId, actor: 'test' }, (uow) =>
        requestInvoiceEmail(uow, invoice.id),
      );
      await Job.update({ status: 'failed', errorCode: 'email_refused', endedAt: new Date() }, { where: { id } });
    }
    const filters = ['--company', `${companyId}`, '--code', 'email_refused', '--queue', 'email', '--since', '1h'];
    const { data } = await succeed<{ data: { id: number }[] }>('jobs', 'list', ...filters);
    expect(data).toHaveLength(3);
    expect(await succeed('jobs', 'show', `${data[0]?.id}`)).toMatchObject({ companyId, invoiceId: invoice.id });
    expect(await succeed('jobs', 'retry', ...filters, '--dry-run')).toMatchObject({ wouldRetry: 3 });
    expect(await succeed('jobs', 'retry', ...filters)).toMatchObject({ retried: 3, interrupted: false });
    expect(await Job.count({ where: { companyId, status: 'pending' } })).toBe(3);
  });

  test('links sync › has every open link asked for, or those of one invoice', async () => {
    const services = await openTestServices();
    const { companyId } = await createCompany(services);
    const [one, other] = [await createInvoice(services, companyId), await createInvoice(services, companyId)];
    for (const [invoiceId, status] of [
      [one.id, 'active'],
      [one.id, 'expired'],
      [other.id, 'superseded'],
    ] as const) {
      await PaymentLink.create({
        ...{ companyId, invoiceId, status, provider: 'xendit', reference: randomUUID(), gatewayId: null, url: null },
        ...{ total: '220.00', amount: '220.00', currency: 'IDR', calledAt: null, expiresAt: null, pollAt: new Date() },
        ...{ createdAt: new Date(), updatedAt: new Date() },
      });
    }
    expect(await succeed('links', 'sync', '--invoice', `${one.id}`)).toEqual({ recorded: 1 });
    expect(await succeed('links', 'sync')).toEqual({ recorded: 2 });
    expect(await Job.count({ where: { companyId, name: 'syncPaymentLink', status: 'pending' } })).toBe(3);
  });
});

describe('migrations', () => {
  test('go down one by one and up together, and say where they are', async () => {
    const before = await succeed<{ done: string[]; pending: string[] }>('migrate', 'status');
    expect(before.pending).toEqual([]);
    const newest = before.done[before.done.length - 1];
    expect(await succeed('migrate', 'down')).toEqual({ reverted: [newest] });
    expect(await succeed('migrate', 'status')).toEqual({ done: before.done.slice(0, -1), pending: [newest] });
    expect(await succeed('migrate', 'up')).toEqual({ migrated: [newest] });
    expect(await succeed('migrate', 'up')).toEqual({ migrated: [] });
  });
});
