import { loadConfig } from '../../../config/env';
import { startSandboxGateway, type SandboxGateway } from '../../../dev/sandboxGateway/server';
import type { Finding } from '../../../shared/engine/checks/Check';
import { gatewayChecks } from '../../../workers/doctor/gateway';

const secretKey = 'xnd_s3cret-word';
let sandbox: SandboxGateway;
beforeAll(async () => {
  sandbox = await startSandboxGateway({ secretKey, callbackToken: 'token', callbackRetryDelaysMs: [] });
});
afterAll(() => sandbox.close());

async function examine(env: Record<string, string> = {}): Promise<Finding> {
  const config = loadConfig({ XENDIT_BASE_URL: sandbox.url, XENDIT_SECRET_KEY: secretKey, ...env });
  const checks = gatewayChecks(config);
  expect(checks.map(({ name }) => name)).toEqual(['gateway: xendit']);
  const finding = await checks[0]!.run();
  expect(JSON.stringify(finding)).not.toContain('s3cret-word');
  return finding;
}

test('the account’s key › ok, and no link is made', async () => {
  expect(await examine()).toMatchObject({ status: 'ok' });
  expect(sandbox.links.all()).toEqual([]);
});

test('another key › broken, with the 401 and the variable', async () => {
  const finding = await examine({ XENDIT_SECRET_KEY: 'xnd_another-s3cret-word' });
  expect(finding).toMatchObject({ status: 'broken', remedy: expect.stringContaining('XENDIT_SECRET_KEY') as string });
  expect(finding.message).toContain('401 INVALID_API_KEY');
});

test('an address that nobody listens on › broken, and names the variable', async () => {
  const unreachable = await examine({ XENDIT_BASE_URL: 'http://127.0.0.1:9' });
  expect(unreachable).toMatchObject({ status: 'broken', remedy: expect.stringContaining('XENDIT_BASE_URL') as string });
});

test('no key › skipped: the check of the configuration names it', async () => {
  expect(await examine({ XENDIT_SECRET_KEY: '' })).toMatchObject({ status: 'skipped' });
});
