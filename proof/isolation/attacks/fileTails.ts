import { fileBody } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const bytes = 10_000_000;

export const fileTails: Attack = {
  name: 'file-tails',
  what: 'the last byte of a receipt of 10 MB, and by every eighth request all of it, 64 connections',
  run: async (attacker, signal) => {
    const content = Buffer.alloc(bytes, ' ');
    content.write('%PDF-1.4\n');
    content.write('\n%%EOF\n', bytes - 7);
    const upload = await fileBody('file', content, 'receipt.pdf', 'application/pdf');
    const { body } = await attacker.send({ path: '/api/receipts', method: 'POST', ...upload });
    const { id } = JSON.parse(body.toString()) as { id: number };
    await repeat(attacker, 64, signal, (turn) =>
      attacker.send({
        path: `/api/receipts/${id}`,
        headers: turn % 8 === 7 ? {} : { Range: `bytes=${bytes - 1}-` },
      }),
    );
  },
};
