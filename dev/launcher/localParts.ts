import { join } from 'node:path';
import { newSigningSecret } from '../../shared/webhooks';
import { eventsPath } from '../eventReceiver/eventsPath';
import { portIfFree } from '../servers/freePort';
import { keptSecret } from '../servers/secret';
import { readEnvFile, writeEnvFile } from './envFile';
import { callbackUrlOf, type Plan, type Wiring } from './environment';
import type { Part, PartOptions, ReadyMessage } from './part';

export interface LocalParts {
  readonly smtpPort: number | undefined;
  readonly mailboxUrl: string | undefined;
  readonly gateway: Wiring['gateway'];
  /** The receiver of the demo company's webhooks. */
  readonly receiver: { readonly url: string; readonly endpointUrl: string; readonly secret: string };
}

type Start = (options: Pick<PartOptions, 'name' | 'script'> & { variables: Record<string, string> }) => Part;

const portNames = [
  'MAIL_CATCHER_SMTP_PORT',
  'MAIL_CATCHER_HTTP_PORT',
  'SANDBOX_GATEWAY_PORT',
  'EVENT_RECEIVER_PORT',
] as const;

/**
 * Starts the event receiver and, if the plan has them, the mail catcher and the sandbox gateway. Resolves when they are
 * ready. Reuses the ports of the last start while they are free, so that open tabs and links in old messages keep
 * working.
 */
export async function startLocalParts(plan: Plan, start: Start, started: (part: Part) => void): Promise<LocalParts> {
  const portsFile = join(plan.dataDir, 'ports.env');
  const kept = readEnvFile(portsFile);
  const ports = Object.fromEntries(
    await Promise.all(
      portNames.map(async (name) => [name, String((await portIfFree(process.env[name] || kept[name])) ?? 0)]),
    ),
  ) as Record<(typeof portNames)[number], string>;

  const catcher = plan.catchMail
    ? start({
        name: 'mail-catcher',
        script: 'dist/dev/mailCatcher/index.js',
        variables: { MAIL_CATCHER_DIR: join(plan.dataDir, 'mail'), ...ports },
      })
    : undefined;
  const keys = {
    secretKey: `sandbox_${keptSecret(join(plan.dataDir, 'sandbox-secret-key'))}`,
    callbackToken: keptSecret(join(plan.dataDir, 'sandbox-callback-token')),
  };
  const gateway = plan.sandboxGateway
    ? start({
        name: 'sandbox-gateway',
        script: 'dist/dev/sandboxGateway/index.js',
        variables: {
          ...ports,
          SANDBOX_SECRET_KEY: keys.secretKey,
          SANDBOX_CALLBACK_TOKEN: keys.callbackToken,
          SANDBOX_CALLBACK_URL: callbackUrlOf(plan.baseUrl),
          SANDBOX_DATA_FILE: join(plan.dataDir, 'sandbox-gateway.json'),
        },
      })
    : undefined;
  const secret = keptSecret(join(plan.dataDir, 'event-receiver-secret'), newSigningSecret);
  const receiver = start({
    name: 'event-receiver',
    script: 'dist/dev/eventReceiver/index.js',
    variables: { ...ports, EVENT_RECEIVER_SECRET: secret },
  });
  [catcher, gateway, receiver].filter((part) => part !== undefined).forEach(started);

  const [mail, pay, received] = await Promise.all([catcher?.ready, gateway?.ready, receiver.ready]);
  const smtpPort = mail && portIn(mail, 'smtpPort');
  const httpPort = mail && portIn(mail, 'httpPort');
  const gatewayPort = pay && portIn(pay, 'port');
  const receiverPort = portIn(received, 'port');
  writeEnvFile(portsFile, {
    MAIL_CATCHER_SMTP_PORT: smtpPort ?? kept['MAIL_CATCHER_SMTP_PORT'],
    MAIL_CATCHER_HTTP_PORT: httpPort ?? kept['MAIL_CATCHER_HTTP_PORT'],
    SANDBOX_GATEWAY_PORT: gatewayPort ?? kept['SANDBOX_GATEWAY_PORT'],
    EVENT_RECEIVER_PORT: receiverPort,
  });
  const receiverUrl = `http://127.0.0.1:${receiverPort}`;
  return {
    smtpPort,
    mailboxUrl: httpPort === undefined ? undefined : `http://127.0.0.1:${httpPort}`,
    gateway: gatewayPort === undefined ? undefined : { url: `http://127.0.0.1:${gatewayPort}`, ...keys },
    receiver: { url: receiverUrl, endpointUrl: `${receiverUrl}${eventsPath}`, secret },
  };
}

function portIn(message: ReadyMessage, name: string): number {
  const port = message[name];
  if (typeof port !== 'number') throw new Error(`a part's ready message has no ${name}: ${JSON.stringify(message)}`);
  return port;
}
