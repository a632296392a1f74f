import { configurationCheck, productionCheck } from '../../../cli/doctor/configuration';
import { loadConfig, readConfig } from '../../../config/env';

const good = {
  NODE_ENV: 'production',
  SECRETS_KEY: Buffer.alloc(32, 's3cret-word').toString('base64'),
  PUBLIC_URL: 'https://billing.example.com',
  SMTP_URL: 'smtp://user:s3cret-word@mail.example.com',
  XENDIT_SECRET_KEY: 'xnd_s3cret-word',
  XENDIT_CALLBACK_TOKEN: 's3cret-word',
};

describe('the variables of a role', () => {
  test('all right › ok for both', async () => {
    for (const role of ['api', 'worker'] as const) {
      expect(await configurationCheck(role, readConfig(role, good)).run()).toMatchObject({ status: 'ok' });
    }
  });

  test('wrong and missing ones › broken, each of them named, and no secret', async () => {
    const wrong = { ...good, PORT: 'abc', SMTP_URL: '', REDIS_URL: 'http://:s3cret-word@x', WORKER_QUEUES: 'all' };
    const finding = await configurationCheck('api', readConfig('api', wrong)).run();
    expect(finding.status).toBe('broken');
    for (const name of ['PORT=abc', 'REDIS_URL', 'WORKER_QUEUES=all']) expect(finding.message).toContain(name);
    // The API sends no e-mails.
    expect(finding.message).not.toContain('SMTP_URL');
    const ofWorker = await configurationCheck('worker', readConfig('worker', { ...good, SMTP_URL: '' })).run();
    expect(ofWorker).toMatchObject({
      status: 'broken',
      message: expect.stringContaining('SMTP_URL is empty') as string,
    });
    expect(JSON.stringify([finding, ofWorker])).not.toContain('s3cret-word');
  });
});

describe('production', () => {
  test.each([
    [{}, 'ok', /NODE_ENV is production/],
    [{ NODE_ENV: '' }, 'warning', /NODE_ENV is development/],
    [{ PUBLIC_URL: 'http://billing.example.com' }, 'warning', /is not https/],
    [{ XENDIT_CALLBACK_TOKEN: '' }, 'warning', /XENDIT_CALLBACK_TOKEN is empty/],
  ])('%j › %s', async (changes, status, message) => {
    const finding = await productionCheck(loadConfig({ ...good, ...changes })).run();
    expect(finding.status).toBe(status);
    expect(finding.message).toMatch(message);
    expect(finding.remedy === undefined).toBe(status === 'ok');
  });
});
