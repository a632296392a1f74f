import type { DeliveryError } from '../../shared/webhooks';

/** The codes of errors of sockets, name servers, TLS and the HTTP parser that mean the same. */
const byCode: Readonly<Record<string, DeliveryError>> = {
  ADDRESS_NOT_ALLOWED: 'address_not_allowed',
  ENOTFOUND: 'host_not_found',
  ENODATA: 'host_not_found',
  ESERVFAIL: 'host_not_found',
  EREFUSED: 'host_not_found',
  EBADNAME: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
  EAI_FAIL: 'host_not_found',
  EAI_NODATA: 'host_not_found',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  ETIMEDOUT: 'timed_out',
  ETIMEOUT: 'timed_out',
  TIMED_OUT: 'timed_out',
  EPROTO: 'tls_failed',
  HANDSHAKE_TOO_LARGE: 'handshake_too_large',
  RESPONSE_TOO_LARGE: 'response_invalid',
};

/** OpenSSL's and Node's names of certificate errors. */
const CERTIFICATE = /CERT|ISSUER|UNABLE_TO_VERIFY|ALTNAME|CRL/;

/** Returns the error code of a request without a response. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  // One error for each address that was tried. The delivery has room for one code.
  if (Array.isArray(errors) && errors.length > 0) return deliveryErrorOf(errors[errors.length - 1]);
  if (typeof code !== 'string') return 'connection_failed';
  const known = byCode[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'response_invalid';
  if (CERTIFICATE.test(code)) return 'certificate_invalid';
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') ? 'tls_failed' : 'connection_failed';
}
