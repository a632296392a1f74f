import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { checkSecrets } from '../../cli/doctor/secrets';
import type { RotateReport } from '../../cli/rotateSecrets';
import { projectRoot } from '../../config/paths';
import type { Services } from '../../shared/services';
import { SecretBox } from '../../shared/engine/secrets/SecretBox';
import { signingSecrets } from '../../shared/webhooks';
import { WebhookEndpoint } from '../../shared/webhooks/WebhookEndpoint';
import { createCompany } from '../support/factories';
import { eventually } from '../support/eventually';
import { installation, openTestServices } from '../support/installation';
import { storeEndpoint } from '../support/webhooks';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string];
const [oldBox, newBox, both] = [[oldKey], [newKey], [newKey, oldKey]].map((keys) => new SecretBox(keys)) as [
  SecretBox,
  SecretBox,
  SecretBox,
];

/** Runs `secrets rotate` as it is deployed. */
async function rotate(
  keys: string,
  ...args: string[]
): Promise<{ exitCode: number; report: RotateReport; stderr: string }> {
  const env = { PATH: process.env['PATH'] ?? '', ...(await installation()), SECRETS_KEY: keys };
  const command = [join(projectRoot, 'dist/cli/index.js'), 'secrets', 'rotate', ...args];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { env, timeout: 120_000 }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else resolve({ exitCode: Number(error?.code ?? 0), report: JSON.parse(stdout) as RotateReport, stderr });
    });
  });
}

describe('secrets rotate', () => {
  let services: Services;
  let companyId: number;
  beforeAll(async () => {
    services = await openTestServices();
    ({ companyId } = await createCompany(services));
  });
  beforeEach(() => services.sql.run('DELETE FROM webhook_endpoints'));

  const inADay = (): Date => new Date(Date.now() + 86_400_000);
  const stored = (id: number): Promise<WebhookEndpoint> =>
    WebhookEndpoint.findOne({ where: { companyId, id }, rejectOnEmpty: true });

  test('secrets of the old key › are encrypted by the new one, in several batches, and nothing else changes', async () => {
    const endpoints = [];
    for (let index = 0; index < 201; index += 1) {
      endpoints.push(await storeEndpoint(services, companyId, { secret: oldBox.seal(`secret ${index}`) }));
    }
    const [first, last] = [endpoints[0], endpoints[200]] as [WebhookEndpoint, WebhookEndpoint];
    await last.update({ previousSecret: oldBox.seal('previous'), previousSecretUntil: inADay() });
    const before = await stored(first.id);

    const dry = await rotate(`${newKey},${oldKey}`, '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0, report: { dryRun: true, endpoints: 201, rotated: 201, unreadable: 0 } });
    expect((await stored(first.id)).secret).toBe(before.secret);
    expect(await checkSecrets(services.sql, both)).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('secrets rotate') as string,
    });

    const done = await rotate(`${newKey},${oldKey}`);
    expect(done).toMatchObject({ exitCode: 0, report: { dryRun: false, endpoints: 201, rotated: 201, unreadable: 0 } });
    const { secret, ...rest } = (await stored(first.id)).get({ plain: true });
    const { secret: _, ...restBefore } = before.get({ plain: true });
    expect(newBox.open(secret)).toBe('secret 0');
    expect(rest).toEqual(restBefore);
    expect(signingSecrets(newBox, await stored(last.id), new Date())).toEqual(['secret 200', 'previous']);
    expect(await checkSecrets(services.sql, newBox)).toMatchObject({ status: 'ok' });

    expect((await rotate(newKey)).report).toMatchObject({ endpoints: 201, rotated: 0, unreadable: 0 });
  });

  test('an endpoint is locked › those before it are rotated meanwhile, and then it is, too', async () => {
    const first = await storeEndpoint(services, companyId, { secret: oldBox.seal('first') });
    const second = await storeEndpoint(services, companyId, { secret: oldBox.seal('second') });
    const transaction = await services.sequelize.transaction();
    await second.reload({ transaction, lock: transaction.LOCK.UPDATE });
    const rotating = rotate(`${newKey},${oldKey}`);
    try {
      await eventually(async () => newBox.isSealedByFirst((await stored(first.id)).secret));
    } finally {
      await transaction.commit();
    }
    expect(await rotating).toMatchObject({ exitCode: 0, report: { endpoints: 2, rotated: 2 } });
  });

  test('a secret that no key decrypts › is reported and left as it is, and the others are rotated', async () => {
    const lost = new SecretBox([randomBytes(32).toString('base64')]).seal('lost');
    const unreadable = await storeEndpoint(services, companyId, { secret: lost });
    const readable = await storeEndpoint(services, companyId, { secret: oldBox.seal('found') });
    const { exitCode, report, stderr } = await rotate(`${newKey},${oldKey}`);
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ endpoints: 2, rotated: 1, unreadable: 1 });
    expect(report.examples).toEqual([{ companyId, endpointId: unreadable.id }]);
    expect((await stored(unreadable.id)).secret).toBe(lost);
    expect(newBox.open((await stored(readable.id)).secret)).toBe('found');
    expect(`${JSON.stringify(report)}${stderr}`).not.toContain('found');
    expect(await checkSecrets(services.sql, newBox)).toMatchObject({
      status: 'broken',
      message: expect.stringContaining(`endpoint ${unreadable.id} of company ${companyId}`) as string,
    });
  });

  test('a previous secret that has ended › is not missed when its key is gone', async () => {
    const ended = { previousSecret: oldBox.seal('ended'), previousSecretUntil: new Date(Date.now() - 1_000) };
    await storeEndpoint(services, companyId, { secret: newBox.seal('current'), ...ended });
    expect((await rotate(newKey)).report).toMatchObject({ endpoints: 1, rotated: 0, unreadable: 0 });
    expect(await checkSecrets(services.sql, newBox)).toMatchObject({ status: 'ok' });
  });

  test('no key › reports the endpoints, and says nothing of their secrets', async () => {
    await storeEndpoint(services, companyId, { secret: oldBox.seal('secret') });
    expect(await rotate('')).toMatchObject({ exitCode: 1, report: { endpoints: 1, unreadable: 1 } });
  });
});
