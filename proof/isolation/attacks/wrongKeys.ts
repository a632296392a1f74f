import { randomBytes } from 'node:crypto';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const wrongKeys: Attack = {
  name: 'wrong-keys',
  what: 'requests with keys that do not exist, 64 connections, from the address that the victim uses too',
  run: (attacker, signal) =>
    repeat(attacker, 64, signal, () => {
      const token = attacker.company.token.slice(0, -43) + randomBytes(32).toString('base64url');
      return attacker.send({ path: '/api/invoices', headers: { Authorization: `Bearer ${token}` } });
    }),
};
