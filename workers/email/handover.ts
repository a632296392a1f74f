import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';

/** `begun` is true from the moment at which something of the request may have reached the other side. */
export interface Handover {
  begun: boolean;
}

/**
 * A request function in the form that axios takes as `transport` (and then follows no redirect), which notes in `handover` when the connection stands:
 * a request that failed before was certainly not received. Every call connects anew, because a kept connection that the
 * other side has just closed cannot be told from one that broke after the request.
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
