import { invoiceSortFields } from '../../../shared/usecases/invoices/listInvoices';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const deepPages: Attack = {
  name: 'deep-pages',
  what: 'the last pages of a list of 10,000, sorted by each column, 64 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) => {
    return repeat(attacker, 64, signal, (turn) => {
      const sortBy = invoiceSortFields[turn % invoiceSortFields.length];
      return attacker.send({ path: `/api/invoices?limit=100&page=${90 + (turn % 10)}&sortBy=${sortBy}` });
    });
  },
};
