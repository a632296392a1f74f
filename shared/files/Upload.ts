/** A file that a client sent, on this machine's disk for as long as its request is handled. */
export interface Upload {
  readonly path: string;
  /** Bytes; at least one. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** In lower case and without parameters; null where the client named none. */
  readonly declaredType: string | null;
  /** The name of its field, where a problem with it is told. */
  readonly field: string;
}
