import { text, whole } from './kinds';
import { readBy } from './variable';

const forServers = readBy('api', 'worker');

/** The port for operators: metrics, queue signals and the queue dashboard. */
export const operator = {
  port: forServers(
    'OPERATOR_PORT',
    whole(0, 65_535, 'a TCP port for operators, 0 for none', 9464),
    '0',
    'The port of [`/metrics`, `/queues` and `/board`](monitoring.md). Each process of a machine needs its own.',
  ),
  host: forServers(
    'OPERATOR_HOST',
    text('an IP address or a host name'),
    '127.0.0.1',
    'The address of the operator port. `0.0.0.0` for a Prometheus on another machine, in a private network.',
  ),
  /** Empty: no token is needed. */
  token: forServers(
    'OPERATOR_TOKEN',
    text('a long random text'),
    '',
    'The secret of the operator port, as a Bearer token or as the password of Basic authentication.',
    {
      secret: true,
      required: {
        where: 'with `OPERATOR_PORT` and `NODE_ENV=production`',
        applies: ({ purpose, textOf }) =>
          purpose !== 'tool' && textOf('NODE_ENV') === 'production' && Number(textOf('OPERATOR_PORT')) !== 0,
        remedy: '; set a long random text, for example of `openssl rand -hex 24`, or OPERATOR_PORT=0',
      },
    },
  ),
};
