import { mailProbe } from '../../../config/queues';
import { EmailAccountRefused, EmailUnavailable } from '../../../shared/engine/errors';
import { createLogger } from '../../../shared/engine/log/log';
import { MailPause } from '../../../workers/mail';
import { errorOf } from './localEmail';

const log = createLogger('silent', 'test');
let warn: jest.SpyInstance;
let info: jest.SpyInstance;
const refusal = new EmailAccountRefused('the password is wrong');
let pause: MailPause;
let told: string[];

beforeEach(() => {
  jest.useFakeTimers();
  warn = jest.spyOn(log, 'warn');
  info = jest.spyOn(log, 'info');
  told = [];
  pause = new MailPause(log);
  pause.follow((isPaused) => told.push(isPaused ? 'pause' : 'resume'));
});
afterEach(() => jest.useRealTimers());

const refused = () => Promise.reject(refusal);
const sent = () => Promise.resolve('sent');
const over = () => jest.advanceTimersByTime(mailProbe.maxDelayMs);

test('refused credentials › pause the e-mails at once: further ones are not tried', async () => {
  expect(await errorOf(pause.around(refused))).toBe(refusal);
  const send = jest.fn(sent);
  expect(await errorOf(pause.around(send))).toBe(refusal);
  expect(send).not.toHaveBeenCalled();
  expect(told).toEqual(['pause']);
});

test('several that are refused at the same time › pause once', async () => {
  await Promise.all(Array.from({ length: 10 }, () => errorOf(pause.around(refused))));
  expect(told).toEqual(['pause']);
  expect(warn).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(mailProbe.firstDelayMs);
  expect(told).toEqual(['pause', 'resume']);
});

test('after the pause › one message is the probe, and the others wait for what becomes of it', async () => {
  await errorOf(pause.around(refused));
  over();
  let accept: () => void = () => undefined;
  const probe = pause.around(() => new Promise<void>((resolve) => (accept = resolve)));
  const send = jest.fn(sent);
  const others = Promise.all([pause.around(send), pause.around(send)]);
  await jest.advanceTimersByTimeAsync(1);
  expect(send).not.toHaveBeenCalled();
  accept();
  await probe;
  expect(await others).toEqual(['sent', 'sent']);
  expect(info.mock.calls).toEqual([[{ refusals: 1 }, 'e-mails are sent again']]);
});

test('a probe that is refused › pauses for longer, up to five minutes', async () => {
  const pauses: number[] = [];
  for (let probes = 0; probes < 6; probes++) {
    expect(await errorOf(pause.around(refused))).toBe(refusal);
    told = [];
    let waited = 0;
    for (; told.length === 0; waited += 1_000) jest.advanceTimersByTime(1_000);
    pauses.push(waited);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

test('warnings › come at the 1st, 2nd, 4th, 8th … refusal', async () => {
  for (let probes = 0; probes < 20; probes++) {
    await errorOf(pause.around(refused));
    over();
  }
  expect(warn.mock.calls.map(([details]) => (details as { refusals: number }).refusals)).toEqual([1, 2, 4, 8, 16]);
});

test('a probe that says nothing of the credentials › leaves the question to the next message', async () => {
  await errorOf(pause.around(refused));
  over();
  const unreachable = new EmailUnavailable('the mail server cannot be reached');
  expect(await errorOf(pause.around(() => Promise.reject(unreachable)))).toBe(unreachable);
  expect(await pause.around(sent)).toBe('sent');
  expect(await Promise.all([pause.around(sent), pause.around(sent)])).toEqual(['sent', 'sent']);
});
