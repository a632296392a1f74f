import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../config/ConfigurationError';
import { loadConfig, readConfig, type Purpose } from '../../config/env';
import { queueNames } from '../../config/queues';

const secretsKey = randomBytes(32).toString('base64');

function problemsOf(environment: Record<string, string>, purpose?: Purpose): readonly string[] {
  try {
    loadConfig(environment, purpose);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('loadConfig', () => {
  test('an empty environment › has defaults for everything, and cannot be changed', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      jobWaitMs: 25_000,
    });
    expect(() => Object.assign(config.worker, { healthPort: 1 })).toThrow(TypeError);
  });

  test('an empty variable › counts as absent', () => {
    expect(loadConfig({ PORT: '', LOG_LEVEL: '' })).toMatchObject({ port: 3000, logLevel: 'info' });
  });

  test('several wrong variables › are reported together, each with a right value', () => {
    const problems = problemsOf({ PORT: 'http', REDIS_URL: 'localhost', WORKER_QUEUES: 'email,fax' }, 'worker');
    expect(problems).toEqual([
      expect.stringMatching(/^PORT=http .*; expected a TCP port, for example 3000$/),
      expect.stringMatching(/^REDIS_URL .*; expected redis:\/\//),
      `WORKER_QUEUES=email,fax names "fax"; expected a comma-separated choice of ${queueNames.join(', ')}`,
      expect.stringMatching(/^SMTP_URL is empty; .*leave "email" out of WORKER_QUEUES$/),
    ]);
  });

  test('a wrong secret › is named and not shown', () => {
    const [problem] = problemsOf({ DATABASE_URL: 'postgres://user:hunter2@db/x' });
    expect(problem).toMatch(/^DATABASE_URL is not the URL of a MySQL database; expected mysql:\/\//);
    expect(problem).not.toContain('hunter2');
  });

  test.each([
    'billing',
    'a@b@c.example',
    'bill\u0000ing@acme.example',
    'Acme <billing@acme.example>',
    'a..b@acme.example',
  ])('MAIL_FROM=%j › is refused', (address) => {
    expect(problemsOf({ MAIL_FROM: address })).toEqual([expect.stringMatching(/^MAIL_FROM.*; expected an e-mail/)]);
  });

  test('MAIL_FROM › may be left out', () => {
    expect(loadConfig({ MAIL_FROM: 'billing@acme.example' }).email.fromAddress).toBe('billing@acme.example');
    expect(loadConfig({ MAIL_FROM: '' }).email.fromAddress).toBe('');
  });

  test('a worker › needs what its queues call and no more', () => {
    expect(problemsOf({ WORKER_QUEUES: 'pdf' }, 'worker')).toEqual([]);
    expect(problemsOf({ WORKER_QUEUES: 'payment-link' }, 'worker')).toEqual([
      expect.stringMatching(/^XENDIT_SECRET_KEY/),
    ]);
    expect(problemsOf({ EMAIL_TRANSPORT: 'sendgrid', XENDIT_SECRET_KEY: 'xnd_1' }, 'worker')).toEqual([
      expect.stringMatching(/^SENDGRID_API_KEY/),
    ]);
  });

  test('production › an API must know its public address, a tool need not', () => {
    const production = { NODE_ENV: 'production', SECRETS_KEY: secretsKey };
    expect(problemsOf(production, 'api')).toEqual([expect.stringMatching(/^PUBLIC_URL/)]);
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([]);
  });

  test('production › an API needs a key for its secrets, and the error says how to make one', () => {
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://a.example' };
    expect(problemsOf(production, 'api')).toEqual([
      expect.stringMatching(/^SECRETS_KEY is empty; .*`openssl rand -base64 32`$/),
    ]);
    expect(problemsOf({ ...production, WORKER_QUEUES: 'pdf' }, 'worker')).toEqual([]);
    expect(problemsOf({}, 'api')).toEqual([]);
  });

  test.each(['short', `${secretsKey}A`, `${secretsKey},short`, secretsKey.slice(1)])(
    'SECRETS_KEY=%s › is refused, and not shown',
    (keys) => {
      const [problem] = problemsOf({ SECRETS_KEY: keys });
      expect(problem).toMatch(/^SECRETS_KEY is not valid; expected 32 random bytes in base64/);
      expect(problem).not.toContain(keys);
    },
  );

  test('SECRETS_KEY › may hold several keys, and each is kept out of the log', () => {
    const other = randomBytes(32).toString('base64');
    const { secretsKeys, secrets } = loadConfig({ SECRETS_KEY: `${secretsKey}, ${other}` });
    expect(secretsKeys).toEqual([secretsKey, other]);
    for (const key of [secretsKey, other]) expect(secrets.some((part) => key.startsWith(part))).toBe(true);
  });

  test('production › an operator port needs a token, in the API and in workers', () => {
    const production = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://a.example',
      SECRETS_KEY: secretsKey,
      OPERATOR_PORT: '9464',
    };
    for (const environment of [production, { ...production, WORKER_QUEUES: 'pdf' }]) {
      const purpose = 'WORKER_QUEUES' in environment ? 'worker' : 'api';
      expect(problemsOf(environment, purpose)).toEqual([expect.stringMatching(/^OPERATOR_TOKEN is empty; set a long/)]);
      expect(problemsOf({ ...environment, OPERATOR_TOKEN: 'x' }, purpose)).toEqual([]);
      expect(problemsOf({ ...environment, OPERATOR_PORT: '0' }, purpose)).toEqual([]);
    }
    expect(problemsOf({ OPERATOR_PORT: '9464' }, 'api')).toEqual([]);
  });

  test('the key of SendGrid’s events › is a public key of P-256, or none', () => {
    const keyOf = (publicKey: KeyObject): string =>
      publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    for (const right of ['', keyOf(publicKey)]) {
      expect(loadConfig({ SENDGRID_WEBHOOK_PUBLIC_KEY: right }, 'api').email.sendgridWebhookPublicKey).toBe(right);
    }
    for (const wrong of [
      ...['key', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE', keyOf(publicKey).slice(0, -8)],
      keyOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
      keyOf(generateKeyPairSync('ed25519').publicKey),
    ]) {
      expect(problemsOf({ SENDGRID_WEBHOOK_PUBLIC_KEY: wrong }, 'api')).toEqual([
        expect.stringMatching(/^SENDGRID_WEBHOOK_PUBLIC_KEY=.* is not a public key of ECDSA with P-256; expected the/),
      ]);
    }
  });

  test('FILES_STORE=s3 › needs a bucket, a region or an endpoint, and whole credentials; all are reported together', () => {
    expect(problemsOf({ FILES_STORE: 's3', S3_ACCESS_KEY_ID: 'AKIA1' })).toEqual([
      expect.stringMatching(/^S3_BUCKET is empty; set the bucket/),
      expect.stringMatching(/^S3_REGION is empty; .*eu-central-1, or S3_ENDPOINT/),
      expect.stringMatching(/^S3_SECRET_ACCESS_KEY is empty and S3_ACCESS_KEY_ID is not; set both, or neither/),
    ]);
    expect(problemsOf({ S3_ENDPOINT: 'minio:9000', FILES_STORE: 'gcs' })).toEqual([
      expect.stringMatching(/^FILES_STORE=gcs .*; expected one of local, s3$/),
      expect.stringMatching(/^S3_ENDPOINT=minio:9000 .*; expected an http\(s\) URL/),
    ]);
  });

  test('the store of files › is a folder, or a bucket with what the machine has for credentials', () => {
    expect(loadConfig({ DATA_DIR: '/data' }).files).toEqual({ store: 'local', dir: '/data/files' });
    expect(loadConfig({ FILES_STORE: 's3', S3_BUCKET: 'acme', S3_REGION: 'eu-central-1' }).files).toMatchObject({
      store: 's3',
      region: 'eu-central-1',
      prefix: '',
      credentials: null,
    });
    const minio = { S3_ENDPOINT: 'http://minio:9000', S3_PREFIX: 'a/b', S3_FORCE_PATH_STYLE: 'true' };
    expect(loadConfig({ FILES_STORE: 's3', S3_BUCKET: 'acme', ...minio }).files).toMatchObject({
      region: 'us-east-1',
      endpoint: 'http://minio:9000',
      forcePathStyle: true,
      prefix: 'a/b/',
    });
  });
});

describe('readConfig', () => {
  test('a wrong and a missing variable › are named, and the others are usable; the wrong one has its default', () => {
    const { config, problems } = readConfig('worker', { PORT: 'http', REDIS_PREFIX: '{acme}', WORKER_QUEUES: 'email' });
    expect(problems).toEqual([
      { variable: 'PORT', message: expect.stringMatching(/^PORT=http /) as string },
      { variable: 'SMTP_URL', message: expect.stringMatching(/^SMTP_URL is empty/) as string },
    ]);
    expect(config).toMatchObject({ port: 3000, redisPrefix: '{acme}' });
  });
});
