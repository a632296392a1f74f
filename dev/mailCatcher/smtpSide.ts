import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { MessageStore } from './MemoryStore';
import type { SmtpFault, SmtpFaults, Stage } from './SmtpFaults';

type Next = (error?: Error | null) => void;

/** Returns an SMTP server that accepts every password and every message up to `maxBytes`, and stores the messages. */
export function smtpSide(store: MessageStore, faults: SmtpFaults, maxBytes: number): SMTPServer {
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: maxBytes,
    closeTimeout: 1,
    onConnect: (session, done) => at('connect', session, done),
    onAuth: ({ username }, session, done) => at('auth', session, (error) => done(error, { user: username ?? '' })),
    onMailFrom: (_address, session, done) => at('mail', session, done),
    onRcptTo: (_address, session, done) => at('rcpt', session, done),
    onData: (stream, session, done) => {
      const inData = faults.next('data');
      if (inData && ['hang', 'break'].includes(inData.mode)) {
        stream.once('data', () => misbehave(inData, session, done));
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(refusal(552, 'The message is too large'));
        const fault = inData ?? faults.next('reply');
        if (fault?.mode === 'refuse') return misbehave(fault, session, done);
        keep(session, Buffer.concat(chunks)).then(() => (fault ? misbehave(fault, session, done) : done()), done);
      });
    },
  });
  // A client that disconnects early must not end the process.
  server.on('error', (error) => process.stderr.write(`mail catcher: ${error.message}\n`));

  function at(stage: Stage, session: SMTPServerSession, done: Next): void {
    const fault = faults.next(stage);
    if (fault) misbehave(fault, session, done);
    else done();
  }

  function misbehave(fault: SmtpFault, session: SMTPServerSession, done: Next): void {
    if (fault.mode === 'refuse') done(refusal(fault.code, fault.message));
    // Unreferenced: the delay does not keep an ending process alive.
    if (fault.mode === 'late') setTimeout(done, fault.delayMs).unref();
    if (fault.mode === 'break') {
      for (const connection of server.connections) if (connection.id === session.id) connection._socket.destroy();
    }
  }

  async function keep({ envelope }: SMTPServerSession, raw: Buffer): Promise<void> {
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    await store.add({ from, to: envelope.rcptTo.map(({ address }) => address) }, raw);
  }

  return server;
}

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });
