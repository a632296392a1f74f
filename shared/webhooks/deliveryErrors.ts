/** Why an attempt had no response, or why a delivery was ended without one. Stable: consumers of the API read them. */
export const deliveryErrors = [
  /** The name or address in the URL is not one of the public internet. */
  'address_not_allowed',
  'certificate_invalid',
  'connection_closed',
  'connection_failed',
  'connection_refused',
  /** The endpoint was disabled or deleted. */
  'endpoint_disabled',
  /** The event was removed. */
  'event_missing',
  /** The endpoint sent more than 12 KiB before the TLS handshake was complete. */
  'handshake_too_large',
  'host_not_found',
  /** The endpoint sent something other than an HTTP response, or a head that is too large. */
  'response_invalid',
  'timed_out',
  'tls_failed',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];
