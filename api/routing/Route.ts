import type { SchemaObject } from 'ajv';
import type { Scope } from '../../shared/domain/statuses';
import type { OpenFile } from '../../shared/files/FileStore';
import type { Upload } from '../../shared/files/Upload';
import type { Call } from './Call';

/** What a handler answers: one of `body`, `json`, `file` and `stream`. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Becomes JSON. The records of a `LargePage` are read while it is sent. */
  body?: unknown;
  /** JSON text. */
  json?: string;
  /** A small file. */
  file?: { contentType: string; bytes: Buffer };
  /** A file of any size. */
  stream?: AnswerFile;
}

export interface AnswerFile {
  contentType: string;
  /** Bytes, where they are known before it is opened. */
  size?: number;
  /** Called only when the bytes are needed (not for 304, nor for HEAD where `size` is known); what it opened is always closed. */
  open(): Promise<OpenFile>;
}

export const ok = (body: unknown, headers: Record<string, string> = {}): Answer => ({ status: 200, headers, body });
export const created = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  status: 201,
  headers,
  body,
});

/** The one file that an upload has. */
export interface UploadRule {
  /** The documented name of its field; with `anyField` any other will do. */
  field: string;
  anyField?: true;
  maxBytes: number;
  /** What can be said of the file without looking anything up: 400 before the idempotency key is looked at. */
  check?(upload: Upload): Promise<unknown>;
}

/** One operation: everything that routing, checking, documentation and tests need to know of it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{id}`-style parameters, all of which are integers. */
  path: string;
  scope: Scope;
  summary: string;
  tag: string;
  query?: SchemaObject;
  /** JSON body; `null` where the operation takes none. */
  body?: SchemaObject;
  /** What no schema can say of a body, and no record has to be read for: 400 before anything is looked up. */
  check?(body: object): void;
  /** A multipart upload in place of a JSON body. */
  upload?: UploadRule;
  /** The answer shows a secret: under an Idempotency-Key it is stored sealed, for the same API key only. */
  secretAnswer?: boolean;
  success: { status: number; description: string; schema?: SchemaObject; contentType?: string | readonly string[] };
  /** Documented failures beside those that every operation shares, as `status: when`. */
  failures?: Record<number, string>;
  handle(call: Call): Promise<Answer>;
}

/** Gives a handler its body and query types; the schemas are what make them true. */
export function route<Body = unknown, Query = unknown>(
  definition: Omit<Route, 'handle'> & { handle(call: Call<Body, Query>): Promise<Answer> },
): Route {
  return definition;
}
