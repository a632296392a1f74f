import type { OpenFile } from '../../../shared/engine/files';

/** What a handler returns: one of `body`, `json`, `text`, `file` and `stream`. */
export interface RouteResponse {
  status: number;
  headers?: Record<string, string>;
  /** Becomes JSON. The records of a `LargePage` are read while it is sent. */
  body?: unknown;
  /** JSON text. */
  json?: string;
  /** Text of any size. Each chunk is made, in a turn of the request, when the reader has taken the one before. */
  text?: { contentType: string; chunks: AsyncIterable<string> };
  /** A small file, or a page. */
  file?: { contentType: string; bytes: Buffer | string };
  /** A file of any size. */
  stream?: ResponseFile;
}

export interface ResponseFile {
  contentType: string;
  /** Bytes, where they are known before it is opened. */
  size?: number;
  /** The entity tag of what `open` would open now. */
  etag: string;
  /**
   * Called only when the bytes are needed (not for 304, nor for HEAD where `size` is known); what it opened is always closed. Its
   * `etag` is given where it opens another version than it would have opened before. `first` is that of `FileStore.open`.
   */
  open(first?: number): Promise<OpenFile & { readonly etag?: string }>;
}

export const ok = (body: unknown, headers: Record<string, string> = {}): RouteResponse => ({
  status: 200,
  headers,
  body,
});
export const created = (body: unknown, headers: Record<string, string> = {}): RouteResponse => ({
  status: 201,
  headers,
  body,
});
