/** The parts of the OpenAPI document that its page shows. */
export interface ReferenceDocument {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  /** Empty for an operation that takes no API key. */
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
  example?: string | number | boolean;
}

export interface Media {
  schema: Schema;
  example?: Record<string, unknown>;
}

export interface Response {
  description: string;
  content?: Record<string, Media>;
}

export interface Reference {
  $ref: string;
}

/** A JSON Schema, with the keywords that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  deprecated?: boolean;
  readOnly?: boolean;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
}

/** Returns the name at the end of a reference: `Invoice` of `#/components/schemas/Invoice`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
