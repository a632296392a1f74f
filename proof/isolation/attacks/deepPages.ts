import { invoiceList } from '../../../shared/invoices';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const { enum: sortFields } = (invoiceList.query.properties as { sortBy: { enum: string[] } }).sortBy;

export const deepPages: Attack = {
  name: 'deep-pages',
  what: 'the last pages of a list of 10,000, sorted by each column, 64 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) => {
    return repeat(attacker, 64, signal, (turn) => {
      const sortBy = sortFields[turn % sortFields.length];
      return attacker.send({ path: `/api/invoices?limit=100&page=${90 + (turn % 10)}&sortBy=${sortBy}` });
    });
  },
};
