import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';

/** `begun` is true once a part of the request may have reached the server. */
export interface Handover {
  begun: boolean;
}

/**
 * Returns a request function for axios' `transport`, with which axios follows no redirect. It sets `handover.begun` when the
 * connection is established: a request that failed earlier was certainly not received. Every call opens a new connection: on a
 * kept one, a close by the server before the request looks the same as one after it.
 */
export function watchedRequest(handover: Handover) {
  return (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest => {
    const secure = options.protocol === 'https:';
    const request = secure
      ? httpsRequest({ ...options, agent: new HttpsAgent({ keepAlive: false }) }, onResponse)
      : httpRequest({ ...options, agent: new HttpAgent({ keepAlive: false }) }, onResponse);
    return request.once('socket', (socket) => {
      if (!socket.connecting) handover.begun = true;
      else socket.once(secure ? 'secureConnect' : 'connect', () => (handover.begun = true));
    });
  };
}
