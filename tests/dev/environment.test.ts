import { makePlan, serviceVariables } from '../../dev/launcher/environment';

const wiring = {
  databaseUrl: 'mysql://u:p@127.0.0.1:4000/invoicing',
  redisUrl: 'redis://:p@127.0.0.1:4001',
  secretsKey: 'key of the secrets',
  smtpPort: 4002,
  gateway: { url: 'http://127.0.0.1:4003', secretKey: 'key', callbackToken: 'token' },
};

describe('the plan of an installation', () => {
  test('nothing set: private servers, the mail catcher and the sandbox gateway', () => {
    expect(makePlan({}, '/data', 3000)).toEqual({
      dataDir: '/data',
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://127.0.0.1:3000',
      databaseUrl: undefined,
      redisUrl: undefined,
      catchMail: true,
      sandboxGateway: true,
      stopWithinMs: 25_000,
    });
  });

  test.each([
    [{ SMTP_URL: 'smtp://mail.example.com' }, { catchMail: false }],
    [{ EMAIL_TRANSPORT: 'sendgrid' }, { catchMail: false }],
    [{ XENDIT_SECRET_KEY: 'xnd_1' }, { sandboxGateway: false }],
    [
      { SMTP_URL: '', XENDIT_SECRET_KEY: '' },
      { catchMail: true, sandboxGateway: true },
    ],
    [{ HOST: '0.0.0.0' }, { baseUrl: 'http://127.0.0.1:3000' }],
    [{ HOST: '::1' }, { baseUrl: 'http://[::1]:3000' }],
  ])('%j: %j', (given, expected) => {
    expect(makePlan(given, '/data', 3000)).toMatchObject(expected);
  });
});

describe("the services' variables", () => {
  test('nothing set: they point at the local parts', () => {
    expect(serviceVariables({}, makePlan({}, '/data', 3000), wiring)).toEqual({
      DATA_DIR: '/data',
      FILES_DIR: '/data/files',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      SECRETS_KEY: wiring.secretsKey,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DATABASE_URL: wiring.databaseUrl,
      REDIS_URL: wiring.redisUrl,
      SMTP_URL: 'smtp://127.0.0.1:4002',
      XENDIT_BASE_URL: 'http://127.0.0.1:4003',
      XENDIT_SECRET_KEY: 'key',
      XENDIT_CALLBACK_TOKEN: 'token',
      STRIPE_BASE_URL: 'http://127.0.0.1:4003',
      STRIPE_SECRET_KEY: 'key',
      STRIPE_WEBHOOK_SECRET: 'token',
    });
  });

  test('what the user set wins, and a part that does not run leaves no variable', () => {
    const given = { PUBLIC_URL: 'https://bill.example.com', XENDIT_SECRET_KEY: 'xnd_1', FILES_DIR: '/files' };
    const without = { ...wiring, gateway: undefined };
    const variables = serviceVariables(given, makePlan(given, '/data', 3000), without);
    expect(variables).toMatchObject(given);
    expect(variables).not.toHaveProperty('XENDIT_BASE_URL');
  });
});
