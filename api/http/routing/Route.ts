import type { SchemaObject } from 'ajv';
import type { Scope } from '../../../shared/apiKeys';
import type { WorkMeter } from '../../../shared/engine/fair';
import type { Upload } from '../../../shared/engine/files';
import type { Deprecation } from '../../../shared/engine/schemas';
import type { ResponseHeader } from '../openapi/headers';
import type { CsvRule } from '../csv/CsvRule';
import type { Tag } from '../openapi/tags';
import type { RouteResponse } from './RouteResponse';
import type { Call } from './Call';

/** The one file that an upload has. */
export interface UploadRule {
  /** The documented name of its field; with `anyField` any other name is accepted as well. */
  field: string;
  anyField?: true;
  maxBytes: number;
  /** The schema of its other fields, which are text, and become the body; without it they are ignored. */
  fields?: SchemaObject;
  /** Checks the file without reading any record: 400, before the idempotency key is claimed. */
  check?(upload: Upload, meter: WorkMeter): Promise<unknown>;
}

/** A request that succeeds in the demo company of `npm start`, after those that create what it needs. */
export interface RequestExample {
  /** Parameters of the path; 1 where they are absent. */
  path?: Record<string, number>;
  query?: Record<string, string | number | boolean>;
  /** The JSON body; of an upload, the fields of its form, last the name of the file by that of its field. */
  body?: object;
}

/** One operation: the single description for routing, validation, documentation and tests. */
export interface Route {
  /** A verb and its object. Generated clients name their function by it. */
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, with `{id}`-style parameters that are all integers. */
  path: string;
  scope: Scope;
  summary: string;
  tag: Tag;
  /** The operation is to go. A parameter or a field that is to go has the keyword `deprecation` in its schema. */
  deprecated?: Deprecation;
  query?: SchemaObject;
  /** The schema of the JSON body. */
  body?: SchemaObject;
  /** Checks that a schema cannot express, without reading any record: 400, before the use-case. */
  check?(body: object): void;
  /** The rules of a multipart upload, in place of a JSON body. */
  upload?: UploadRule;
  /** What the documentation shows, and a test sends. Absent: the path's parameters are 1, and there is nothing else. */
  example?: RequestExample;
  /** True when the response shows a secret: under an Idempotency-Key it is stored encrypted, for the same API key only. */
  secretResponse?: boolean;
  success: {
    status: number;
    description: string;
    schema?: SchemaObject;
    contentType?: string | readonly string[];
    /** The headers of this response in addition to those of all responses. */
    headers?: readonly ResponseHeader[];
  };
  /** Adds CSV beside the JSON of a GET, with its parameters. */
  csv?: CsvRule;
  /** Documented failures in addition to those of all operations, as `status: when`. */
  failures?: Record<number, string>;
  handle(call: Call): Promise<RouteResponse>;
}

/** Gives a handler the types of its body and query, which the schemas guarantee at run time. */
export function route<Body = unknown, Query = unknown>(
  definition: Omit<Route, 'handle' | 'csv'> & {
    handle(call: Call<Body, Query>): Promise<RouteResponse>;
    csv?: Omit<CsvRule, 'batches'> & { batches?(call: Call<Body, Query>): AsyncIterable<readonly object[]> };
  },
): Route {
  return definition;
}
