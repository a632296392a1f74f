import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { retryPolicies } from '../../config/queues';
import { Event, Job } from '../../shared/models';
import { unitOfWork } from '../../shared/kernel/database/unitOfWork';
import type { Services } from '../../shared/kernel/services';
import { requestInvoiceEmail } from '../../shared/emails/requestInvoiceEmail';
import { createCompany, createInvoice } from '../support/factories';
import { installation, openTestServices } from '../support/installation';
import { startApi } from '../support/server';

interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the CLI as it is deployed: one process, configured by the environment alone. */
async function cli(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const environment = { PATH: process.env['PATH'] ?? '', ...(await installation()), ...env };
  return new Promise((resolve) => {
    const script = join(projectRoot, 'dist/cli/index.js');
    execFile(process.execPath, [script, ...args], { env: environment, timeout: 15_000 }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

async function succeed<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await cli(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

async function refuse(args: string[], env: Record<string, string> = {}): Promise<object> {
  const { exitCode, stdout, stderr } = await cli(args, env);
  expect(stdout).toBe('');
  return { exitCode, ...(JSON.parse(stderr) as object) };
}

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

  test('a key reads and writes and never expires unless told otherwise', async () => {
    const { companyId } = await createCompany(await openTestServices());
    expect(await succeed('keys', 'create', '--company', `${companyId}`)).toMatchObject({
      token: expect.stringMatching(/^inv_/) as string,
      scopes: ['read', 'write'],
      expiresAt: null,
    });
  });

  test.each([
    [['companies', 'create', '--name', 'A', '--email', 'nobody'], 1, 'validation_failed'],
    [['companies', 'create', '--name', 'A', '--timezone', 'Mars'], 1, 'validation_failed'],
    [['keys', 'create', '--company', '999999'], 1, 'not_found'],
    [['keys', 'create', '--company', '1', '--scopes', 'root'], 1, 'validation_failed'],
    [['keys', 'create', '--company', '1', '--expires', '2001-01-01T00:00:00Z'], 1, 'validation_failed'],
    [['keys', 'revoke', '999999'], 1, 'not_found'],
    [['companies', 'create'], 2, 'usage'],
    [['keys', 'create', '--company', 'x'], 2, 'usage'],
    [['keys', 'create', '--company', '1', '--nonsense'], 2, 'usage'],
    [[], 2, 'usage'],
  ])('%j ends with %i and tells %s as JSON on stderr', async (args, exitCode, code) => {
    expect(await refuse(args)).toMatchObject({ exitCode, code, message: expect.stringMatching(/./) as string });
  });

  test('a database that is away is told at once', async () => {
    const away = { DATABASE_URL: 'mysql://root@127.0.0.1:1/none' };
    expect(await refuse(['keys', 'revoke', '1'], away)).toMatchObject({ exitCode: 1, code: 'service_unavailable' });
    expect(await refuse(['migrate', 'up'], away)).toMatchObject({ exitCode: 1, code: 'service_unavailable' });
    expect(await refuse(['jobs', 'list'], { DATABASE_URL: 'nonsense' })).toMatchObject({
      exitCode: 1,
      code: 'configuration',
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

  test('are listed, the newest first, by status and company', async () => {
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
    const of = (...args: string[]): Promise<{ data: object[] }> => succeed('jobs', 'list', ...args);
    expect((await of('--company', `${first.companyId}`)).data).toMatchObject([{ id: first.jobId }]);
    expect((await of('--company', `${first.companyId}`, '--status', 'done')).data).toEqual([]);
    expect((await of('--status', 'failed', '--limit', '1')).data).toMatchObject([{ id: second.jobId }]);
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
    const { attempts } = retryPolicies.email;
    expect(await Job.findOne({ where: { id: jobId } })).toMatchObject({
      attempt: 8,
      uncounted: 8,
      maxAttempt: attempts,
    });
    expect(await refuse(['jobs', 'retry', `${jobId}`])).toMatchObject({ exitCode: 1, code: 'job_not_failed' });
    expect(await refuse(['jobs', 'retry', '999999'])).toMatchObject({ exitCode: 1, code: 'not_found' });
  });

  test('are retried also while Redis is away: the workers queue them later', async () => {
    const { jobId } = await failedJob();
    const { exitCode, stdout } = await cli(['jobs', 'retry', `${jobId}`], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: jobId, status: 'pending', queued: false });
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
