import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailCatcher, type MailCatcher, type MailCatcherOptions } from '../../../dev/mailCatcher/server';
import type { MessageSummary } from '../../../dev/mailCatcher/ParsedMessages';
import { EmailRefused, EmailUnavailable } from '../../../shared/engine/errors';
import type { EmailMessage } from '../../../workers/mail';
import { errorOf, message, smtpAt } from '../../workers/mail/localEmail';

let catcher: MailCatcher;
const closing: (() => Promise<unknown>)[] = [];

async function start(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  catcher = await startMailCatcher(options);
  const started = catcher;
  closing.push(() => started.close());
  return catcher;
}

beforeEach(() => start());

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function send(...messages: Partial<EmailMessage>[]): Promise<void> {
  const transport = smtpAt(catcher.smtpUrl);
  for (const one of messages) await transport.send(message(one));
  await transport.close();
}

const get = (path: string) => fetch(catcher.url + path);
const list = async (query = '') => (await (await get(`/api/messages${query}`)).json()) as MessageSummary[];

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mail-'));
  closing.unshift(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('GET /api/messages', () => {
  it('lists the newest first, each with what a test wants to see', async () => {
    const content = Buffer.from('%PDF-1.7');
    const attachments = [{ filename: 'invoice-1.pdf', contentType: 'application/pdf', content }];
    await send({ messageId: 'one@x.test' }, { messageId: 'two@x.test', subject: 'Second', attachments });
    const [second, first] = await list();
    expect(first).toMatchObject({ id: 1, messageId: 'one@x.test', subject: 'Invoice INV-1', attachments: [] });
    expect(second).toMatchObject({
      id: 2,
      messageId: 'two@x.test',
      from: { name: 'Acme Ltd', address: 'billing@acme.example.com' },
      to: [{ name: 'Jane Client', address: 'jane@client.example.com' }],
      attachments: [{ filename: 'invoice-1.pdf', contentType: 'application/pdf', size: content.length }],
      headers: { 'auto-submitted': 'auto-generated' },
    });
    expect(Date.parse(second?.date ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('filters by receiver, subject and message id, and limits', async () => {
    const other = { name: '', address: 'joe@other.example.com' };
    await send(
      { messageId: 'a@x.test' },
      { messageId: 'b@x.test', to: [other] },
      { messageId: 'c@x.test', subject: 'Réminder' },
    );
    const ids = async (query: string) => (await list(query)).map(({ messageId }) => messageId);
    expect(await ids('?to=JOE@other')).toEqual(['b@x.test']);
    expect(await ids('?subject=r%C3%A9mind')).toEqual(['c@x.test']);
    expect(await ids('?messageId=a@x.test')).toEqual(['a@x.test']);
    expect(await ids('?limit=2')).toEqual(['c@x.test', 'b@x.test']);
    expect(await ids('?to=jane&subject=invoice&limit=1')).toEqual(['a@x.test']);
    expect(await ids('?to=nobody')).toEqual([]);
  });

  it('shows two copies of one message as two', async () => {
    await send({}, {});
    expect(await list('?messageId=invoice-1@billing.example.com')).toHaveLength(2);
  });

  it('is empty after DELETE', async () => {
    await send({});
    expect((await fetch(`${catcher.url}/api/messages`, { method: 'DELETE' })).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await get('/api/messages/1')).status).toBe(404);
  });
});

describe('one message', () => {
  it('is given as JSON, as it came, and by attachment', async () => {
    const content = Buffer.from([0, 1, 2, 250, 251, 252]);
    await send({ attachments: [{ filename: 'Rechnung „1“.pdf', contentType: 'application/pdf', content }] });
    const json = (await (await get('/api/messages/1')).json()) as Record<string, unknown>;
    expect(json).toMatchObject({ id: 1, html: expect.stringContaining('<p>Please pay.</p>') as string });
    expect(json['text']).toMatch(/^Please pay\.\s*$/);

    const raw = await get('/api/messages/1/raw');
    expect(raw.headers.get('content-type')).toMatch('text/plain');
    expect(await raw.text()).toContain('Message-ID: <invoice-1@billing.example.com>\r\n');

    const file = await get('/api/messages/1/attachments/0');
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''Rechnung/);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(content);
  });

  it.each(['/api/messages/7', '/api/messages/x', '/api/messages/1/attachments/3', '/messages/7', '/messages/7/html'])(
    'that is not there is 404 at %s',
    async (path) => {
      await send({});
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe('the web inbox', () => {
  const attack = '<img src=x onerror=alert(1)>';

  it('lists messages and shows one, with what senders wrote as text', async () => {
    await send({ subject: attack, from: { name: attack, address: 'a@x.test' }, text: attack });
    for (const path of ['/', '/messages/1']) {
      const response = await get(path);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(page).not.toContain(attack);
    }
  });

  it('shows HTML in a frame that runs nothing and fetches nothing', async () => {
    await send({ html: `<p>Hi</p>${attack}` });
    expect(await (await get('/messages/1')).text()).toMatch(/<iframe[^>]+sandbox="[^"]*"/);
    const frame = await get('/messages/1/html');
    const policy = frame.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'.*sandbox/);
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin/);
    expect(await frame.text()).toContain('<p>Hi</p>');
  });
});

describe('the store', () => {
  it.each(['memory', 'folder'])('keeps the newest in %s when there are too many', async (place) => {
    await start({ maxMessages: 3, folder: place === 'folder' ? await temporaryFolder() : null });
    await send({}, {}, {}, {}, {});
    await catcher.store.close();
    expect((await list()).map(({ id }) => id)).toEqual([5, 4, 3]);
    expect((await get('/api/messages/1/raw')).status).toBe(404);
  });

  it('keeps messages in its folder over a restart, and counts on', async () => {
    const folder = await temporaryFolder();
    await start({ folder });
    await send({ messageId: 'one@x.test' }, { messageId: 'two@x.test' });
    const before = await list();
    const raw = await (await get('/api/messages/2/raw')).text();
    await catcher.close();
    closing.pop();

    await start({ folder });
    expect(await list()).toEqual(before);
    expect(await (await get('/api/messages/2/raw')).text()).toBe(raw);
    await send({ messageId: 'three@x.test' });
    expect((await list()).map(({ id, messageId }) => [id, messageId])[0]).toEqual([3, 'three@x.test']);
  });

  it('passes over a file that a crash left half written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, '000000000001.eml'), '{"id":1,"from":"a@x.te');
    await writeFile(
      join(folder, '000000000002.eml'),
      '{"id":2,"from":"a@x.test","to":["b@x.test"],"size":900}\nSubject: x',
    );
    await start({ folder });
    expect(await list()).toEqual([]);
  });

  it('takes many concurrent connections and loses nothing', async () => {
    await start({ folder: await temporaryFolder() });
    const transport = smtpAt(catcher.smtpUrl, 5000, 10);
    await Promise.all(Array.from({ length: 200 }, (_, n) => transport.send(message({ messageId: `m${n}@x.test` }))));
    await transport.close();
    const ids = (await list('?limit=500')).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(200);
  });
});

describe('PUT /control', () => {
  const control = (body: object) =>
    fetch(`${catcher.url}/control`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('makes so many messages be refused, for now or for good, and shows what is to come', async () => {
    await control({ mode: 'refuse', code: 451, times: 2 });
    const state = await (await control({ mode: 'refuse', stage: 'rcpt', code: 550, message: 'Nobody here' })).json();
    expect(state).toMatchObject({
      faults: [
        { times: 2, code: 451 },
        { stage: 'rcpt', message: 'Nobody here' },
      ],
    });
    expect(await errorOf(send({}))).toMatchObject({ message: expect.stringContaining('550 Nobody here') as string });
    expect(await errorOf(send({}))).toBeInstanceOf(EmailUnavailable);
    expect(await errorOf(send({}))).toBeInstanceOf(EmailUnavailable);
    await send({});
    expect(await list()).toHaveLength(1);
    expect(await (await get('/control')).json()).toEqual({ faults: [] });
  });

  it('forgets the faults on reset', async () => {
    await control({ mode: 'refuse', code: 550, times: 9 });
    expect(await errorOf(send({}))).toBeInstanceOf(EmailRefused);
    await control({ reset: true });
    await send({});
    expect(await list()).toHaveLength(1);
  });

  it.each(['connect', 'auth', 'mail', 'rcpt', 'data', 'reply'])(
    'replies late at %s, and takes the message',
    async (stage) => {
      await control({ mode: 'late', stage, delayMs: 1 });
      await send({});
      expect(await list()).toHaveLength(1);
      // Without a user name there is nothing to authenticate.
      expect(catcher.faults.waiting).toHaveLength(stage === 'auth' ? 1 : 0);
    },
  );

  it('replies late to a whole message › keeps it before that', async () => {
    await control({ mode: 'late', delayMs: 600_000 });
    const sending = errorOf(send({}));
    while ((await list()).length === 0);
    const outcome = await Promise.race([sending, list()]);
    expect(outcome).toHaveLength(1);
    await catcher.close();
    closing.length = 0;
    expect(await sending).toBeInstanceOf(Error);
  });

  it.each([
    { mode: 'explode' },
    { stage: 'greeting' },
    { code: 250 },
    { mode: 'late', delayMs: -1 },
    { message: 'a\r\n250 b' },
    { other: 1 },
  ])('refuses %j', async (body) => {
    expect((await control(body)).status).toBe(400);
  });
});
