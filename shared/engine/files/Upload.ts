/** A file that a client sent. It is on the local disk while its request is handled. */
export interface Upload {
  readonly path: string;
  /** Bytes; at least one. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** The media type in lower case, without parameters; null where the client sent none. */
  readonly declaredType: string | null;
  /** The name of its form field, for error messages. */
  readonly field: string;
  /** The form's other fields, where the operation has any. */
  readonly fields: Readonly<Record<string, string>>;
}
