import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../dev/servers/freePort';

test('a free port › is reserved for this process, though nothing listens on it yet', async () => {
  const port = await freePort();
  const other = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
  expect(await once(other, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  const [refused] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
  expect(refused.code).toBe('ECONNREFUSED');
});
