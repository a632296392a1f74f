import { request, type Agent } from 'node:http';

export interface PlainAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Sends one request without a body, on the agent's connections. Cheap enough for thousands at the same time. */
export function send(
  agent: Agent,
  { method, url, token }: { method: string; url: string; token: string },
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    request(url, { agent, method, headers: { Authorization: `Bearer ${token}` } })
      .on('error', reject)
      .on('response', (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      })
      .end();
  });
}
