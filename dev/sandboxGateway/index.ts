import { runStandIn } from '../runStandIn';
import { startSandboxGateway } from './server';

const { env } = process;

runStandIn(
  () =>
    startSandboxGateway({
      port: Number(env.SANDBOX_GATEWAY_PORT ?? 0),
      secretKey: env.SANDBOX_SECRET_KEY ?? '',
      callbackToken: env.SANDBOX_CALLBACK_TOKEN ?? '',
      callbackUrl: env.SANDBOX_CALLBACK_URL || null,
      dataFile: env.SANDBOX_DATA_FILE || null,
      publicUrl: env.SANDBOX_PUBLIC_URL || null,
    }),
  ({ port }) => ({ port }),
);
