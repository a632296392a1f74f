import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const refusedUploads: Attack = {
  name: 'refused-uploads',
  what: 'uploads without a file, 64 connections',
  run: (attacker, signal) => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = Buffer.from('--x--\r\n');
    return repeat(attacker, 64, signal, () => attacker.send({ path: '/api/receipts', method: 'POST', headers, body }));
  },
};

export const refusedRequests: Attack = {
  name: 'refused-requests',
  what: 'requests for an operation that does not exist, 64 connections',
  run: (attacker, signal) => repeat(attacker, 64, signal, () => attacker.send({ path: '/api/nothing' })),
};
