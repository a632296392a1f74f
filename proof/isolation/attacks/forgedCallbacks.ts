import { rawSocket } from '../attacker/rawSocket';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { untilClosed } from './multipartHeaders';

const bytes = 64 * 1024;

export const forgedCallbacks: Attack = {
  name: 'forged-callbacks',
  what: 'callbacks of 64 KiB without the token of the gateway, a new connection each, 32 at the same time',
  run: (attacker, signal) => {
    const lines = ['POST /webhooks/gateway/xendit HTTP/1.1', 'Host: attacker', 'Content-Type: application/json'];
    const head = [...lines, `Content-Length: ${bytes}`, '', ''].join('\r\n');
    const callback = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, ' ')]);
    return repeat(attacker, 32, signal, () => untilClosed(rawSocket(attacker, callback), signal));
  },
};
