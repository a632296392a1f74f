import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const longLocale: Attack = {
  name: 'long-locale',
  what: 'a locale of 280 kB to PUT /api/company, 4 connections',
  run: (attacker, signal) => {
    const locales = [`en${'-abcdefgh'.repeat(31_000)}`, `en-${'a'.repeat(280_000)}`, `${'a-'.repeat(140_000)}`];
    return repeat(attacker, 4, signal, (turn) =>
      attacker.send({ path: '/api/company', method: 'PUT', body: { locale: locales[turn % locales.length] } }),
    );
  },
};
