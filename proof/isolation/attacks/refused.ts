import { rawSocket, requestHead } from '../attacker/rawSocket';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { untilClosed } from './multipartHeaders';

export const refusedUploads: Attack = {
  name: 'refused-uploads',
  what: 'uploads without a file, 64 connections',
  run: (attacker, signal) => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = Buffer.from('--x--\r\n');
    return repeat(attacker, 64, signal, () => attacker.send({ path: '/api/receipts', method: 'POST', headers, body }));
  },
};

export const endlessUploads: Attack = {
  name: 'endless-uploads',
  what: 'uploads that are far too large, sent as fast as they are taken, 16 connections',
  run: (attacker, signal) => {
    const headers = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${1e12}`];
    const head = requestHead(attacker, 'POST /api/receipts', headers);
    const piece = Buffer.alloc(256 * 1024, ' ');
    return repeat(attacker, 16, signal, () => {
      const socket = rawSocket(attacker, head);
      const pour = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('connect', pour).on('drain', pour);
      return untilClosed(socket, signal);
    });
  },
};

export const refusedRequests: Attack = {
  name: 'refused-requests',
  what: 'requests for an operation that does not exist, 64 connections',
  run: (attacker, signal) => repeat(attacker, 64, signal, () => attacker.send({ path: '/api/nothing' })),
};
