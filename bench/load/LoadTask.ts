/** Requests to send over a number of connections, each with one request under way at a time. */
export interface LoadTask {
  url: string;
  connections: number;
  seconds: number;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** Taken in turn by all connections together. */
  paths: readonly string[];
  /** JSON bodies, taken in turn; empty for none. */
  bodies: readonly string[];
  /** The paths are not to be used twice: running out of them is an error. */
  once: boolean;
  /** Any other answer is a failure, and one failure is the end of the benchmark. */
  expected: { status: number; contentType: string };
}
