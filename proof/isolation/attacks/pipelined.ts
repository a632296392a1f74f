import { rawSocket, requestHead } from '../attacker/rawSocket';
import { repeat } from '../attacker/repeat';
import type { Attack, Attacker } from '../Attack';
import { untilClosed } from './multipartHeaders';

const requests = 100_000;

/** Sends many requests on each connection without waiting for a response, and starts again when it is closed. */
const pipelined = (name: string, what: string, textOf: (attacker: Attacker) => string): Attack => ({
  name,
  what: `${what}, 2 connections`,
  run: (attacker, signal) => {
    const text = Buffer.from(textOf(attacker));
    return repeat(attacker, 2, signal, () => untilClosed(rawSocket(attacker, text), signal));
  },
});

export const pipelinedBehindLongPoll = pipelined(
  'pipelined-behind-long-poll',
  `${requests.toLocaleString('en')} requests of 30 bytes behind a long poll`,
  (attacker) =>
    requestHead(attacker, 'GET /api/events?wait=20&subject=invoice:999999999') +
    'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n'.repeat(requests),
);

export const pipelinedWrongKeys = pipelined(
  'pipelined-wrong-keys',
  `${requests.toLocaleString('en')} requests with a wrong key`,
  () => 'GET /api/jobs/1 HTTP/1.1\r\nHost:\r\nAuthorization: Bearer x\r\n\r\n'.repeat(requests),
);
