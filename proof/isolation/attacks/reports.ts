import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const reports = [
  'receivables?asOf=2026-01-20',
  'receivables?groupBy=client',
  'revenue?by=day&from=2026-01-01&to=2026-12-31',
  'revenue?by=client&from=2026-01-01&to=2026-12-31',
  'tax?from=2026-01-01&to=2026-12-31',
];

export const reportFlood: Attack = {
  name: 'reports',
  what: 'reports over 10,000 invoices, 32 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) =>
    repeat(attacker, 32, signal, (turn) => attacker.send({ path: `/api/reports/${reports[turn % reports.length]}` })),
};

export const exportFlood: Attack = {
  name: 'exports',
  what: 'exports of 100 invoices of 1,000 items of 500 characters, a row each, of which one is served at a time, 16 connections',
  prepare: (ground) => ground.heavy(),
  run: (attacker, signal) =>
    repeat(attacker, 16, signal, () =>
      attacker.send({ path: '/api/invoices?items=rows', headers: { Accept: 'text/csv' } }),
    ),
};
