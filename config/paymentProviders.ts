import { forQueue } from './forQueue';
import { httpUrl, text } from './kinds';
import { readBy, type Variable } from './variable';

/** The variables of every payment provider. */
interface ProviderVariables {
  /** The URL of its API. If it is a stand-in, the pages of invoices also lead to payment pages there. */
  readonly baseUrl: Variable<string>;
  /** Authenticates us at the provider. Without it no links are created there. */
  readonly secretKey: Variable<string>;
  /** Authenticates the provider's callbacks. Without it the API refuses them. */
  readonly callbackSecret: Variable<string>;
}

const forWorker = readBy('worker');
const forApi = readBy('api');
const chosen = (provider: string) => ['GATEWAY_PROVIDER', provider] as const;

/** The payment providers by name. The configuration, our records and the path of their callbacks use these names. */
export const paymentProviders = {
  xendit: {
    baseUrl: readBy('api', 'worker')(
      'XENDIT_BASE_URL',
      httpUrl('https://api.xendit.co'),
      'https://api.xendit.co',
      'The API of Xendit, or a stand-in for tests.',
    ),
    secretKey: forWorker('XENDIT_SECRET_KEY', text('a key, xnd_…'), '', 'The secret key of the account.', {
      secret: true,
      required: forQueue('payment-link', 'set the secret key of your account, "xnd_…"', chosen('xendit')),
    }),
    callbackSecret: forApi(
      'XENDIT_CALLBACK_TOKEN',
      text('a token'),
      '',
      'The webhook verification token of the account. Without it the API refuses all callbacks.',
      { secret: true },
    ),
  },
  stripe: {
    baseUrl: readBy('api', 'worker')(
      'STRIPE_BASE_URL',
      httpUrl('https://api.stripe.com'),
      'https://api.stripe.com',
      'The API of Stripe, or a stand-in for tests.',
    ),
    secretKey: forWorker(
      'STRIPE_SECRET_KEY',
      text('a key, sk_… or rk_…'),
      '',
      'The secret or restricted key of the account.',
      {
        secret: true,
        required: forQueue(
          'payment-link',
          'set a secret key of your account, "sk_…", or a restricted one, "rk_…"',
          chosen('stripe'),
        ),
      },
    ),
    callbackSecret: forApi(
      'STRIPE_WEBHOOK_SECRET',
      text('a secret, whsec_…'),
      '',
      'The signing secret of the webhook endpoint. Without it the API refuses all callbacks.',
      { secret: true },
    ),
  },
} satisfies Record<string, ProviderVariables>;

export type ProviderName = keyof typeof paymentProviders;

export const providerNames = Object.keys(paymentProviders) as ProviderName[];
