import { rawSocket, requestHead } from '../attacker/rawSocket';
import { untilAborted } from '../attacker/repeat';
import type { Attack } from '../Attack';

const connections = 60;

export const neverRead: Attack = {
  name: 'never-read',
  what: '60 connections that ask for such a list and never read',
  prepare: (ground) => ground.heavy(),
  run: async (attacker, signal) => {
    const head = requestHead(attacker, 'GET /api/invoices?limit=100');
    const sockets = Array.from({ length: connections }, () => rawSocket(attacker, head, false));
    await untilAborted(signal);
    sockets.forEach((socket) => socket.destroy());
  },
};
