import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const feedReads: Attack = {
  name: 'feed-reads',
  what: 'the feed of 5,000 events, by 1,000, also compressed and with types that match nothing, 64 connections',
  prepare: (ground) => ground.withEvents(),
  run: (attacker, signal) =>
    repeat(attacker, 64, signal, (turn) =>
      attacker.send({
        path: `/api/events?limit=1000&after=${turn % 2_000}${turn % 3 === 2 ? '&types=expense.created,client.*' : ''}`,
        headers: turn % 3 === 1 ? { 'Accept-Encoding': 'gzip' } : {},
      }),
    ),
};
