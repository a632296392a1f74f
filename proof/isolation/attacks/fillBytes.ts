import { fileBody } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const bytes = 10 * 1024 * 1024;

export const fillBytes: Attack = {
  name: 'receipt-fill-bytes',
  what: 'receipts: 10 MiB of a JPEG that are all fill bytes, 4 connections',
  run: async (attacker, signal) => {
    const content = Buffer.alloc(bytes, 0xff);
    content.set([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]);
    const upload = await fileBody('file', content, 'receipt.jpg', 'image/jpeg');
    await repeat(attacker, 4, signal, () => attacker.send({ path: '/api/receipts', method: 'POST', ...upload }));
  },
};
