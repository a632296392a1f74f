import { loadConfig } from '../../../../config/env';
import { createLogger, withLogFields } from '../../../../shared/engine/log/log';
import { newToken } from '../../../../shared/apiKeys/token';

/** The line that is logged with these secrets in the configuration. */
function lineOf(details: object, environment: Record<string, string> = {}): { text: string; line: typeof details } {
  let text = '';
  const destination = { write: (line: string) => void (text += line) };
  createLogger('info', 'test', { ...loadConfig(environment), destination }).info(details, 'it happened');
  return { text, line: JSON.parse(text) as object };
}

describe('a line of the log', () => {
  test.each([
    ['SMTP_URL', 'smtp://user:pa%24s-w0rd@mail.example:587', 'pa%24s-w0rd'],
    ['SMTP_URL', 'smtp://user:pa%24s-w0rd@mail.example:587', 'pa$s-w0rd'],
    ['SENDGRID_API_KEY', 'SG.abc"def\\ghi', 'SG.abc"def\\ghi'],
    ['XENDIT_SECRET_KEY', 'xnd_production_1', 'xnd_production_1'],
    ['XENDIT_SECRET_KEY', 'xnd_production_1', Buffer.from('xnd_production_1:').toString('base64')],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=1,api-key=topsecret', 'topsecret'],
  ])('with a part of %s (%s) › has it redacted, in whichever field', (name, value, secret) => {
    const error = new Error(`the server said: ${secret}!`, { cause: new Error(secret) });
    const { text, line } = lineOf({ err: error, reason: `x${secret}y`, deep: { list: [secret] } }, { [name]: value });
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(line).toMatchObject({ reason: 'x[Redacted]y', deep: { list: ['[Redacted]'] } });
  });

  test('with a key of ours or the credentials of a header › has them redacted', () => {
    const token = newToken();
    const { line } = lineOf({
      a: `key ${token}.`,
      b: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      c: 'Bearer abcdefghij',
    });
    expect(line).toMatchObject({ a: 'key [Redacted].', b: '[Redacted]', c: '[Redacted]' });
  });

  test('with an e-mail address › has only its domain', () => {
    const reason = '550 5.1.1 <jörg.o\'neil+x@mail.müller.example>: unknown\nto: "a@b.example"';
    const { line } = lineOf({ err: new Error(reason), to: 'client@example.com' });
    expect(line).toMatchObject({
      err: { message: '550 5.1.1 <…@mail.müller.example>: unknown\nto: "…@b.example"' },
      to: '…@example.com',
    });
  });

  test('with an @ that is no address › stays as it is', () => {
    const { line } = lineOf({ path: '/app/node_modules/@koa/router/dist/index.js:10', ssh: "'root'@'localhost'" });
    expect(line).toMatchObject({ path: '/app/node_modules/@koa/router/dist/index.js:10', ssh: "'root'@'localhost'" });
  });

  test('with a field that is named like a secret › has its value redacted, at any depth', () => {
    const { line } = lineOf({ token: 'abc', client: { email: 'x', id: 4 }, a: { headers: { authorization: 'y' } } });
    expect(line).toMatchObject({
      token: '[Redacted]',
      client: { email: '[Redacted]', id: 4 },
      a: { headers: { authorization: '[Redacted]' } },
    });
  });
});

test('fields of a piece of work › are on the lines of what it starts, and on no others; a line’s own take precedence', async () => {
  const lines: object[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as object);
  const log = createLogger('info', 'test', { destination: { write } });
  const work = (jobId: number): Promise<void> =>
    withLogFields({ jobId, job: 'x' }, async () => {
      await new Promise(setImmediate);
      withLogFields({ attempt: 2 }, () => log.info({ job: 'own' }, 'inner'));
      log.info('outer');
    });
  await Promise.all([work(1), work(2)]);
  log.info('after');
  const [one, two, ...others] = lines.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length).reverse();
  expect([one, two]).toEqual(
    expect.arrayContaining([1, 2].map((jobId) => expect.objectContaining({ jobId, job: 'own', attempt: 2 }) as object)),
  );
  expect(others.slice(0, 2).every((line) => 'jobId' in line && !('attempt' in line))).toBe(true);
  expect(others[2]).not.toHaveProperty('jobId');
});
