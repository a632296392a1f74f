import { randomBytes } from 'node:crypto';
import { SecretBox } from '../../../../shared/engine/secrets/SecretBox';

const newKey = (): string => randomBytes(32).toString('base64');
const [first, second] = [newKey(), newKey()];

test('what was sealed › is opened by the same key, and sealed differently each time', () => {
  const box = new SecretBox([first]);
  const sealed = box.seal('whsec_ä');
  expect(box.open(sealed)).toBe('whsec_ä');
  expect(box.seal('whsec_ä')).not.toBe(sealed);
  expect(sealed).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/]+={0,2}$/);
});

test('several keys › the first seals, and all of them open', () => {
  const old = new SecretBox([first]).seal('old');
  const rotated = new SecretBox([second, first]);
  expect(rotated.open(old)).toBe('old');
  expect(rotated.isSealedByFirst(old)).toBe(false);
  const fresh = rotated.seal('fresh');
  expect(rotated.isSealedByFirst(fresh)).toBe(true);
  expect(new SecretBox([second]).open(fresh)).toBe('fresh');
});

const unavailable = { code: 'secrets_unavailable', status: 503 };

test('a text whose key is missing › is not opened', () => {
  const sealed = new SecretBox([first]).seal('text');
  for (const keys of [[], [second]]) {
    expect(() => new SecretBox(keys).open(sealed)).toThrow(expect.objectContaining(unavailable) as Error);
  }
});

test.each([
  ['another byte', (sealed: string) => `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`],
  ['its end cut off', (sealed: string) => sealed.slice(0, -8)],
  ['only its key', (sealed: string) => sealed.slice(0, 9)],
  ['no key', (sealed: string) => sealed.slice(9)],
  ['nothing', () => ''],
])('a text with %s › is not opened', (_, alter) => {
  const box = new SecretBox([first]);
  expect(() => box.open(alter(box.seal('text')))).toThrow(expect.objectContaining(unavailable) as Error);
});

test('without a key › nothing is sealed', () => {
  expect(() => new SecretBox([]).seal('text')).toThrow(expect.objectContaining(unavailable) as Error);
});
