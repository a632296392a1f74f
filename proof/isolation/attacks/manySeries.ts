import type { Attack } from '../Attack';

const series = { full: 30_000, quick: 3_000 };

export const manySeries: Attack = {
  name: 'many-series',
  what: '30,000 series of one company fall due (with --quick 3,000), and its own reads',
  prepare: (ground) => ground.dueSeries(ground.quick ? series.quick : series.full),
  run: async (attacker, signal) => {
    while (!signal.aborted) await attacker.send({ path: '/api/invoices?limit=1', method: 'GET', signal });
  },
};
