/** Requests to send over a number of connections, each with one request in progress at a time. */
export interface LoadTask {
  url: string;
  connections: number;
  seconds: number;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** The paths, taken in turn by all connections together. */
  paths: readonly string[];
  /** JSON bodies, taken in turn; empty for none. */
  bodies: readonly string[];
  /** True if no path may be used twice: running out of paths is then an error. */
  once: boolean;
  /** True if each request comes from another network, as a proxy names it. */
  manyNetworks?: boolean;
  /** The expected response. Any other one fails the benchmark. */
  expected: { status: number; contentType: string };
}
