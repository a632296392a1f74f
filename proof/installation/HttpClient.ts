import { once } from 'node:events';
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpCall {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes. */
  readonly body?: unknown;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The request gets a connection of its own, from this address of the machine. */
  readonly connectFrom?: string;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const defaultTimeoutMs = 30_000;

/** Sends requests over kept connections, one for each concurrent request. */
export class HttpClient {
  private readonly agent: Agent;

  constructor(
    readonly baseUrl: string,
    private readonly token: string | null = null,
    maxSockets = Infinity,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** @throws {Error} with the `code` of the connection's failure, or when the response is not complete in time. */
  async send({
    path,
    method = 'GET',
    headers = {},
    body,
    timeoutMs = defaultTimeoutMs,
    signal,
    connectFrom,
  }: HttpCall): Promise<HttpReply> {
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    const bytes = isJson ? Buffer.from(JSON.stringify(body)) : (body ?? null);
    const outgoing = request(new URL(path, this.baseUrl), {
      method,
      ...(connectFrom === undefined ? { agent: this.agent } : { agent: false, localAddress: connectFrom }),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      headers: {
        ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...(bytes !== null && { 'Content-Length': String(bytes.length) }),
        ...headers,
      },
    });
    outgoing.end(bytes ?? undefined);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The JSON of a response's body. */
export function jsonOf<T>({ body }: HttpReply): T {
  return JSON.parse(body.toString()) as T;
}

/** One file as a multipart body, after the fields of its form. */
export async function fileBody(
  field: string,
  content: Buffer,
  name: string,
  type: string,
  fields: Record<string, string> = {},
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const entry of Object.entries(fields)) form.append(...entry);
  form.append(field, new Blob([new Uint8Array(content)], { type }), name);
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  return { body: Buffer.from(await encoded.arrayBuffer()), headers: { 'Content-Type': contentType } };
}

/** Returns the body of an ordinary create with three items. */
export function newInvoice(clientId: number, over: object = {}): object {
  return {
    clientId,
    issueDate: '2026-01-15',
    dueDate: '2026-02-14',
    taxRate: '11',
    notes: 'Thank you for your business.',
    items: [
      { description: 'Consulting, on site', quantity: '3.00', unitPrice: '1250000.00' },
      { description: 'Software licence', quantity: '3.00', unitPrice: '199000.50' },
      { description: 'Travel expenses', quantity: '1.00', unitPrice: '104500.00' },
    ],
    ...over,
  };
}
