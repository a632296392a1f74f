import { createServer } from 'node:net';
import { freePort } from '../../../../dev/servers/freePort';
import { listen } from '../../../../shared/engine/process/listen';

const variables = { host: 'HOST', port: 'PORT' };
const at = (host: string, port: number) => listen(createServer(), { host, port, variables });

test('an address that cannot be listened on › the error names the variables and why', async () => {
  const port = await freePort();
  const first = createServer();
  await listen(first, { host: '127.0.0.1', port, variables });
  await expect(at('127.0.0.1', port)).rejects.toMatchObject({
    name: 'ConfigurationError',
    problems: [
      `PORT=${port} of HOST=127.0.0.1 is used by another program or process; each process of a machine needs ports of its own`,
    ],
  });
  await expect(at('203.0.113.1', port)).rejects.toMatchObject({
    problems: [expect.stringMatching(/^PORT=\d+ of HOST=203\.0\.113\.1 cannot be used \(EADDRNOTAVAIL\)/)],
  });
  first.close();
});
