import { randomBytes } from 'node:crypto';
import { SecretBox } from '../../../shared/engine/secrets/SecretBox';
import { newSigningSecret, signingSecrets } from '../../../shared/webhooks/signingSecrets';

const box = new SecretBox([randomBytes(32).toString('base64')]);
const [current, previous] = [newSigningSecret(), newSigningSecret()];
const ends = new Date('2026-01-02T00:00:00Z');
const rotated = { secret: box.seal(current), previousSecret: box.seal(previous), previousSecretUntil: ends };

test('a new secret › has 32 random bytes after the prefix of Standard Webhooks', () => {
  expect(current).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(current).not.toBe(previous);
});

test('an endpoint whose secret was never rotated › signs with its only one', () => {
  const endpoint = { secret: box.seal(current), previousSecret: null, previousSecretUntil: null };
  expect(signingSecrets(box, endpoint, ends)).toEqual([current]);
});

test('after a rotation › the previous secret signs too until it ends, and not at that time', () => {
  expect(signingSecrets(box, rotated, new Date(ends.getTime() - 1))).toEqual([current, previous]);
  expect(signingSecrets(box, rotated, ends)).toEqual([current]);
});

test('a secret that no key opens › is an error, and not left out', () => {
  const others = new SecretBox([randomBytes(32).toString('base64')]);
  expect(() => signingSecrets(others, rotated, ends)).toThrow(
    expect.objectContaining({ code: 'secrets_unavailable' }) as Error,
  );
});
