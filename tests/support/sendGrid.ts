import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A key pair as SendGrid makes one for a Signed Event Webhook. */
export interface SendGridKeys {
  /** As SendGrid shows it. */
  publicKey: string;
  privateKey: KeyObject;
}

export function sendGridKeys(): SendGridKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
}

/** The headers of a request with this body, signed at this time. */
export function signed({ privateKey }: SendGridKeys, body: string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'Content-Type': 'application/json',
    'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(timestamp + body), privateKey).toString(
      'base64',
    ),
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
  };
}

let made = 0;

/** An event as SendGrid sends it (Event Webhook Reference), of the message with this id unless `changes` say otherwise. */
export function sendGridEvent(event: string, reference: string, changes: object = {}): Record<string, unknown> {
  made += 1;
  return {
    email: 'jane@client.example',
    timestamp: Math.floor(Date.now() / 1000),
    'smtp-id': `<${reference}>`,
    event,
    sg_event_id: `ZGVsaXZlcmVkLTAtMTIzNDU2Nzg-${made}`,
    sg_message_id: '7qk9OAOQS2uEHL6dmBQwXQ.recvd-5d5f6f7c6d-xrkfn-1-65A1B2C3-4.0',
    reference,
    ...changes,
  };
}
