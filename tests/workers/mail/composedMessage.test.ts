import MailComposer from 'nodemailer/lib/mail-composer';
import { composedMessage } from '../../../workers/mail/composedMessage';

type Mail = ConstructorParameters<typeof MailComposer>[0];

const html = `<p>${'Invoice № 1 – Żółw. '.repeat(40)}</p>\n.\n`;
const logo = { filename: 'logo.png', contentType: 'image/png', cid: 'logo@x', contentDisposition: 'inline' as const };
const pdf = (size: number) => ({
  ...{ filename: 'invoice-№1.pdf', contentType: 'application/pdf' },
  content: Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) % 256)),
});

const mails: [string, Mail][] = [
  ['plain text and HTML', { text: 'Hello\n.\n..\n', html: '<p>Hello</p>' }],
  ['text with long lines and spaces at their ends', { text: `${'a '.repeat(200)}\n \nb=\t\n`, html }],
  ['text of another script', { text: 'ใบแจ้งหนี้ '.repeat(30), html: `<p>${'こんにちは'.repeat(50)}</p>` }],
  ['empty text', { text: '', html: '<p>Hello</p>' }],
  ['an attachment', { text: 'Hello', html, attachments: [pdf(100_001)] }],
  ['an empty attachment', { text: 'Hello', html, attachments: [pdf(0)] }],
  ['an attached text', { text: 'Hello', attachments: [{ filename: 'a.txt', content: Buffer.from('a\n.\né\n') }] }],
  ['a picture in the HTML', { text: 'Hello', html, attachments: [pdf(58), { ...logo, content: Buffer.from('png') }] }],
];

it.each(mails)('has the bytes that nodemailer streams › %s', async (_name, mail) => {
  const root = new MailComposer({ from: 'a@x.example.com', to: 'Żółw <b@x.example.com>', ...mail }).compile();
  const chunks: Buffer[] = [];
  for await (const chunk of composedMessage(root)) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString().trimEnd()).toBe((await root.build()).toString().trimEnd());
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024);
});

it('encodes a large attachment as it is read', async () => {
  const root = new MailComposer({ text: 'Hello', attachments: [pdf(1_000_000)] }).compile();
  const encode = jest.spyOn(Buffer.prototype, 'toString');
  const message = composedMessage(root)[Symbol.asyncIterator]();
  await message.next();
  const encoded = encode.mock.contexts.map((bytes) => (bytes as Buffer).length);
  encode.mockRestore();
  await message.return?.();
  expect(encoded.reduce((sum, length) => sum + length, 0)).toBeLessThan(100_000);
});

it('fails for a content that must be fetched', async () => {
  const root = new MailComposer({ text: { path: '/etc/hostname' } }).compile();
  await expect(composedMessage(root).toArray()).rejects.toThrow(TypeError);
});
