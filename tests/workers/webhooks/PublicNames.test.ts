import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { PublicNames } from '../../../workers/webhooks/PublicNames';
import { atEnd } from '../../support/installation';

const [IPV4, CNAME, IPV6] = [1, 5, 28];
const NO_SUCH_NAME = 3;

/** A record of the name that was asked for. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** RFC 1035, section 4. What does not fit a datagram is asked for again by TCP. */
function answerTo(question: Buffer, records: readonly Buffer[] | null, isDatagram: boolean): Buffer {
  const asked = question.subarray(12, question.indexOf(0, 12) + 5);
  const given = records ?? [];
  const isCut = isDatagram && given.length > 10;
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | (records === null ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isCut ? 0 : given.length, 6);
  return Buffer.concat([head, asked, ...(isCut ? [] : given)]);
}

/** A name server. `recordsOf` returns the records of a type that the name has, or null if there is no such name. */
async function startNameServer(recordsOf: (name: string, type: number) => Buffer[] | null): Promise<string> {
  const answer = (question: Buffer, isDatagram: boolean): Buffer => {
    const end = question.indexOf(0, 12);
    const name = question.subarray(13, 13 + (question[12] ?? 0)).toString();
    return answerTo(question, recordsOf(name, question.readUInt16BE(end + 1)), isDatagram);
  };
  const streams = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (let at = 0; at < bytes.length; at += 2 + bytes.readUInt16BE(at)) {
        const text = answer(bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at)), false);
        const length = Buffer.alloc(2);
        length.writeUInt16BE(text.length);
        socket.write(Buffer.concat([length, text]));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(streams, 'listening');
  const { port } = streams.address() as AddressInfo;
  const datagrams = createSocket('udp4').bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
  datagrams.on('message', (question, from) => datagrams.send(answer(question, true), from.port, from.address));
  atEnd(() => {
    streams.close();
    datagrams.close();
  });
  return `127.0.0.1:${port}`;
}

async function namesOf(recordsOf: (name: string, type: number) => Buffer[] | null): Promise<PublicNames> {
  const names = new PublicNames([await startNameServer(recordsOf)]);
  atEnd(() => names.close());
  return names;
}

const four = record(IPV4, Buffer.of(192, 0, 2, 7));
const six = record(IPV6, Buffer.concat([Buffer.of(0x20, 0x01, 0x0d, 0xb8), Buffer.alloc(11), Buffer.of(1)]));

test('a name › has its addresses of both families', async () => {
  const names = await namesOf((_, type) => (type === IPV6 ? [six] : [four]));
  expect((await names.resolve('both.example')).addresses).toEqual([
    { address: '2001:db8::1', family: 6 },
    { address: '192.0.2.7', family: 4 },
  ]);
});

test('a name › with addresses of one family has those', async () => {
  const names = await namesOf((_, type) => (type === IPV6 ? [] : [four]));
  expect((await names.resolve('one.example')).addresses).toEqual([{ address: '192.0.2.7', family: 4 }]);
});

test('a name › that does not exist has a code and no addresses', async () => {
  const names = await namesOf(() => null);
  expect(await names.resolve('none.example')).toMatchObject({ addresses: [], code: 'ENOTFOUND' });
});

test.each([
  ['addresses', Array<Buffer>(4_000).fill(four), 8],
  ['other names', Array<Buffer>(4_000).fill(record(CNAME, Buffer.of(0xc0, 0x0c))), 0],
])('a name with 4,000 %s › is charged to its company, and eight addresses are used', async (_what, records, used) => {
  const names = await namesOf((name, type) => (type === IPV6 ? [] : name === 'many' ? records : [four]));
  // The first look-ups compile the code, and others share the processors.
  const leastOf = async (name: string): Promise<number> => {
    const costs: number[] = [];
    for (let count = 0; count < 5; count++) costs.push((await names.resolve(name)).costMs);
    return Math.min(...costs);
  };
  expect((await names.resolve('many.example')).addresses).toHaveLength(used);
  expect(await leastOf('many.example')).toBeGreaterThan(5 * (await leastOf('few.example')));
});
