import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const deepPages: Attack = {
  name: 'deep-pages',
  what: 'the last pages of a list of 10,000, sorted by each column, 64 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) => {
    const columns = [
      'id',
      'invoiceNumber',
      'status',
      'issueDate',
      'dueDate',
      'total',
      'createdAt',
      'updatedAt',
      'paidAt',
    ];
    return repeat(attacker, 64, signal, (turn) => {
      const sortBy = columns[turn % columns.length];
      return attacker.send({ path: `/api/invoices?limit=100&page=${90 + (turn % 10)}&sortBy=${sortBy}` });
    });
  },
};
