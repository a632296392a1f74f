import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createEmailTransport, MailPause } from '../../workers/mail';
import { eventually } from '../support/eventually';
import { atEnd } from '../support/installation';
import { Effects, jobIdOf } from '../support/workers';

/** A mail server whose only user has another password than ours, until it has ours. */
let effects: Effects;
let smtpUrl: string;
let accepted = false;
let logins = 0;
let messages = 0;

beforeAll(async () => {
  const server = new SMTPServer({
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1,
    onAuth: ({ username }, _session, done) => {
      logins += 1;
      if (accepted) done(null, { user: username });
      else done(Object.assign(new Error('Authentication failed'), { responseCode: 535 }));
    },
    onData: (stream, _session, done) => {
      stream.resume().on('end', () => {
        messages += 1;
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  atEnd(() => new Promise<void>((resolve) => server.close(resolve)));
  smtpUrl = `smtp://user:password@127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

test('refused credentials › no message is lost: all wait, one is tried at a time, and all go out once the password is right', async () => {
  const email = createEmailTransport({ ...effects.services.config.email, timeoutMs: 5_000, smtpUrl });
  atEnd(() => email.close());
  const mailPause = new MailPause(effects.services.log, { firstDelayMs: 200, factor: 1, maxDelayMs: 200 });
  const subjects = await Promise.all(Array.from({ length: 6 }, () => effects.invoice()));
  for (const { as, invoice } of subjects) await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
  const request = async ({ as, invoice }: (typeof subjects)[number]): Promise<number> =>
    jobIdOf(await as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async').expect(202));
  const [first, ...others] = subjects;
  const jobIds = [await request(first!)];
  const { pool } = await effects.startPool(['email'], effects.services, { email, mailPause });
  await eventually(() => logins > 0);
  for (const subject of others) jobIds.push(await request(subject));
  await eventually(() => logins > 3);
  expect(pool.isRunning).toBe(true);
  const before = await Promise.all(jobIds.map((id) => effects.job(id)));
  expect(before.map(({ status }) => status)).not.toContain('failed');

  accepted = true;
  await eventually(async () => {
    const jobs = await Promise.all(jobIds.map((id) => effects.job(id)));
    return jobs.every(({ status }) => status === 'done');
  });
  expect(messages).toBe(6);
});
