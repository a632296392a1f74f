import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { ReceivedEvents, Reply } from './ReceivedEvents';
import type { ReceiverFault, ReceiverFaults } from './ReceiverFaults';
import type { Verifier } from './Verifier';

/** Far more than an event has. */
const MAX_BYTES = 1024 * 1024;

/** Stores a request, and responds with 200 unless a fault is due. */
export async function receiveEvent(
  ctx: Context,
  { events, faults, verifier }: { events: ReceivedEvents; faults: ReceiverFaults; verifier: Verifier },
): Promise<void> {
  const body = await readBody(ctx);
  if (body === null) {
    ctx.status = 413;
    return;
  }
  const headers = Object.fromEntries(
    Object.entries(ctx.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const fault = faults.next();
  const reply = replyOf(fault);
  events.add({
    path: ctx.path,
    webhookId: headers['webhook-id'] ?? null,
    signature: verifier.verify(body, headers),
    headers,
    body: body.toString('utf8'),
    reply,
  });
  // Unreferenced: the delay does not keep an ending process alive.
  if (fault?.mode === 'late') await sleep(fault.delayMs, undefined, { ref: false });
  if (reply.kind === 'status') {
    ctx.status = reply.status;
    ctx.body = { received: reply.status < 300 };
    return;
  }
  ctx.respond = false;
  if (reply.kind === 'break') ctx.req.socket.destroy();
}

function replyOf(fault: ReceiverFault | null): Reply {
  switch (fault?.mode) {
    case 'fail':
      return { kind: 'status', status: fault.status };
    case 'hang':
      return { kind: 'hang' };
    case 'break':
      return { kind: 'break' };
    default:
      return { kind: 'status', status: 200 };
  }
}

async function readBody({ req }: Context): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
