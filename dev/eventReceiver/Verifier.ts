import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The result of a verification. */
export type Signature = { verified: true } | { verified: false; reason: string };

/** Verifies requests as the library of Standard Webhooks does, with any of its secrets. */
export class Verifier {
  private webhooks: Webhook[];

  constructor(secrets: readonly string[]) {
    this.webhooks = secrets.map((secret) => new Webhook(secret));
  }

  /** Verifies with this secret as well from now on. @throws {Error} when it is no secret. */
  add(secret: string): void {
    this.webhooks = [new Webhook(secret), ...this.webhooks];
  }

  verify(body: Buffer, headers: Record<string, string>): Signature {
    let reason = 'the receiver has no secret';
    for (const webhook of this.webhooks) {
      try {
        webhook.verify(body, headers, { jsonParse: false });
        return { verified: true };
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        reason = error.message;
      }
    }
    return { verified: false, reason };
  }
}
