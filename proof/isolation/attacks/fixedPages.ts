import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

/** Requests without a key, again and again. */
const withoutKey = (name: string, what: string, paths: readonly string[], headers: Record<string, string>): Attack => ({
  name,
  what: `${what}, without a key, 64 connections`,
  run: (attacker, signal) =>
    repeat(attacker, 64, signal, (turn) =>
      attacker.send({ path: paths[turn % paths.length] ?? '', headers: { Authorization: '', ...headers } }),
    ),
});

export const fixedPages = withoutKey(
  'fixed-pages',
  'the OpenAPI document and the reference page',
  ['/openapi.json', '/docs'],
  {},
);

export const unknownPages = withoutKey('unknown-pages', 'pages that do not exist', ['/nothing', '/docs/nothing'], {});

export const healthFlood: Attack = {
  ...withoutKey('health-flood', 'the health of the process', ['/healthz'], {}),
  without: ['probe'],
};
