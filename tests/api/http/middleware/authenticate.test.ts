import type { Context } from 'koa';
import type { ApiKeys, KnownKey } from '../../../../api/apiKeys/ApiKeys';
import { authenticate } from '../../../../api/http/middleware/authenticate';

const key: KnownKey = { id: 1, companyId: 1, scopes: ['read'] };
const clock = { now: () => new Date('2026-05-05T05:05:05Z') };

/** Sends `count` requests at the same time; no look-up ends before all have begun. Returns which of them were thrifty. */
async function burst(count: number, found: KnownKey | null, ipOf = (_: number) => '192.0.2.1'): Promise<boolean[]> {
  const looks: boolean[] = [];
  let release: (key: KnownKey | null) => void = () => undefined;
  const end = new Promise<KnownKey | null>((resolve) => (release = resolve));
  const keys = {
    cached: () => null,
    find: (_token: string, { thrifty }: { thrifty: boolean }) => {
      looks.push(thrifty);
      return end;
    },
  };
  const serve = authenticate(keys as unknown as ApiKeys, clock);
  const request = (n: number): Context =>
    ({
      ip: ipOf(n),
      method: 'GET',
      path: '/api/x',
      headers: { authorization: 'Bearer x' },
      state: {},
    }) as unknown as Context;
  const responses = Array.from(
    { length: count },
    (_, n) => serve(request(n) as never, () => Promise.resolve()) as Promise<void>,
  );
  release(found);
  await Promise.allSettled(responses);
  return looks;
}

const thriftyOnes = (looks: readonly boolean[]): number => looks.filter(Boolean).length;

describe('a burst of keys from one address', () => {
  test('that are wrong › is over its limit before the first of them was looked up', async () => {
    const looks = await burst(600, null);
    expect([looks.length, thriftyOnes(looks)]).toEqual([600, 300]);
  });

  test('that are valid › is looked up, all of them', async () => {
    expect(await burst(600, key)).toHaveLength(600);
  });

  test('that are wrong, each from a network of its own › are looked up together above 3,000', async () => {
    const looks = await burst(3_100, null, (n) => `192.0.${n >> 8}.${n & 255}`);
    expect(thriftyOnes(looks)).toBe(100);
  });
});
