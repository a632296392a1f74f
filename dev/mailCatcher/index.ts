import { runStandIn } from '../runStandIn';
import { startMailCatcher } from './server';

const { env } = process;

runStandIn(
  () =>
    startMailCatcher({
      smtpPort: Number(env.MAIL_CATCHER_SMTP_PORT ?? 0),
      httpPort: Number(env.MAIL_CATCHER_HTTP_PORT ?? 0),
      folder: env.MAIL_CATCHER_DIR || null,
    }),
  ({ smtpPort, httpPort }) => ({ smtpPort, httpPort }),
);
