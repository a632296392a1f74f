import { asciiAddress, isEmailAddress } from '../../config/emailAddress';

describe('an e-mail address', () => {
  test.each([
    'billing@acme.example',
    'first.last+tag@sub.acme.example',
    "o'brien_{x}=?^@acme.example",
    'info@exämple.example',
    'info@例え.テスト',
    'root@localhost',
    'a@192.0.2.1',
    `${'l'.repeat(64)}@acme.example`,
    `a@${'d'.repeat(63)}.example`,
  ])('%s › is one', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['no @', 'acme.example'],
    ['two @', 'a@b@acme.example'],
    ['no local part', '@acme.example'],
    ['no domain', 'a@'],
    ['a local part beyond ASCII', 'josé@acme.example'],
    ['an underscore in the domain', 'a@ac_me.example'],
    ['a label that begins with a hyphen', 'a@-acme.example'],
    ['a NUL in the local part', 'a\u0000b@acme.example'],
    ['a NUL in the domain', 'a@ac\u0000me.example'],
    ['a bell', 'a\u0007@acme.example'],
    ['a C1 control character', 'a\u0085@acme.example'],
    ['a line break', 'a@acme.example\r\nBcc: b@acme.example'],
    ['half a surrogate pair', 'a\ud83e@acme.example'],
    ['half a surrogate pair in the domain', 'a@ac\udc00me.example'],
    ['an invisible character', 'a\u200b@acme.example'],
    ['a direction mark', 'a\u202e@acme.example'],
    ['a space', 'a b@acme.example'],
    ['a no-break space', 'a\u00a0b@acme.example'],
    ['a list', 'a@acme.example, b@acme.example'],
    ['a display name', 'Acme <a@acme.example>'],
    ['quotes', '"a"@acme.example'],
    ['a comment', 'a(b)@acme.example'],
    ['two dots in a row', 'a..b@acme.example'],
    ['a dot at the end of the local part', 'a.@acme.example'],
    ['a dot at the end of the domain', 'a@acme.example.'],
    ['an empty label', 'a@acme..example'],
    ['a label that is no Punycode', 'a@xn--a.example'],
    ['a path after the domain', 'a@acme.example/x'],
    ['an address literal', 'a@[192.0.2.1]'],
    ['a local part of 65 bytes', `${'l'.repeat(65)}@acme.example`],
    ['a label of 64 characters', `a@${'d'.repeat(64)}.example`],
    ['255 characters', `a@${'d.'.repeat(123)}example`],
    ['255 characters in ASCII', `a@${'ü.'.repeat(40)}example`],
  ])('%s › is none', (_name, text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});

test.each([
  ['info@bücher.example', 'info@xn--bcher-kva.example'],
  ['Info@BÜCHER.example', 'Info@xn--bcher-kva.example'],
  ['info@例え.テスト', 'info@xn--r8jz45g.xn--zckzah'],
  ['Billing@Acme.Example', 'Billing@Acme.Example'],
])('asciiAddress(%j) › %s', (address, ascii) => {
  expect(asciiAddress(address)).toBe(ascii);
});
