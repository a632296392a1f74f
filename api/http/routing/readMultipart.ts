import { ValidationFailed } from '../../../shared/engine/errors';

/** One part of a multipart body. Its reader takes all of the content, or nothing, and it is skipped. */
export interface Part {
  /** The name of its field; null when absent. */
  readonly name: string | null;
  /** True when it has a file name, which may be empty. */
  readonly hasFileName: boolean;
  /** Null when absent. */
  readonly contentType: string | null;
  readonly content: AsyncIterable<Buffer>;
}

export interface MultipartBounds {
  /** The headers of one part. */
  readonly headerBytes: number;
  /** Everything but the content that is read: boundaries, headers, skipped content, what comes before and after the parts. */
  readonly otherBytes: number;
  /** Returns the error for more than `otherBytes`. */
  readonly tooLarge: () => Error;
}

const CRLF = Buffer.from('\r\n');
const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');
/** RFC 2046, 5.1.1 */
const MAX_BOUNDARY_LENGTH = 70;
const MAX_NAME_LENGTH = 255;
/** Transfer encodings that leave the content as it is. Others have no place in form data (RFC 7578, 4.7). */
const PLAIN: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'utf-8']);
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/;
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"([^"]*)"|([^;"]*))/g;

/**
 * Reads the parts of a `multipart/form-data` body (RFC 7578), in their order and as their bytes arrive. Holds no more than one chunk
 * and the headers of one part, and takes time that is proportional to the bytes.
 * @throws {ValidationFailed} for anything that is not such a body, or ends before its last boundary; `tooLarge()`.
 */
export async function* readMultipart(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  { headerBytes, otherBytes, tooLarge }: MultipartBounds,
): AsyncGenerator<Part> {
  const boundary = parameterOf(contentType, 'boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) throw malformed();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const input = new Input(chunks[Symbol.asyncIterator]());
  let others = 0;
  const countOther = (bytes: number): void => {
    others += bytes;
    if (others > otherBytes) throw tooLarge();
  };
  const skip = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) countOther(piece.length);
  };
  await skip(input.before(delimiter));
  for (;;) {
    countOther(delimiter.length + CRLF.length);
    if (await input.begins(DASHES)) return skip(input.rest());
    // The line break stays, so that a part without headers ends them like any other.
    if (!(await input.begins(CRLF))) throw malformed();
    const lines = await collect(input.before(END_OF_HEADERS), headerBytes);
    countOther(lines.length + END_OF_HEADERS.length);
    const content = input.before(delimiter);
    yield { ...readHeaders(lines.toString()), content };
    await skip(content);
  }
}

/** The bytes of a body that were received and not read. */
class Input {
  /** A boundary follows a line break, which the first one does not need. */
  private held: Buffer = CRLF;

  constructor(private readonly chunks: AsyncIterator<Buffer>) {}

  /** Yields everything before `mark`, and takes the mark. */
  async *before(mark: Buffer): AsyncGenerator<Buffer> {
    for (let at = this.held.indexOf(mark); ; at = this.held.indexOf(mark)) {
      // The last bytes may be the beginning of the mark.
      const end = at >= 0 ? at : Math.max(0, this.held.length - mark.length + 1);
      const piece = this.held.subarray(0, end);
      this.held = this.held.subarray(at >= 0 ? at + mark.length : end);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      if (!(await this.receive())) throw malformed();
    }
  }

  /** Tests what comes next; takes nothing. */
  async begins(mark: Buffer): Promise<boolean> {
    while (this.held.length < mark.length) if (!(await this.receive())) throw malformed();
    return this.held.subarray(0, mark.length).equals(mark);
  }

  async *rest(): AsyncGenerator<Buffer> {
    do {
      yield this.held;
      this.held = Buffer.alloc(0);
    } while (await this.receive());
  }

  /** Returns false at the end of the body. */
  private async receive(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) return false;
    this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value]);
    return true;
  }
}

async function collect(pieces: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const all: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw ValidationFailed.at('body', `has a part with more than ${maxBytes} bytes of headers`);
    all.push(piece);
  }
  return Buffer.concat(all);
}

function readHeaders(lines: string): Omit<Part, 'content'> {
  const headers = new Map<string, string>();
  for (const line of lines.split('\r\n').filter((one) => one !== '')) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw malformed();
    headers.set(name.toLowerCase(), value.trim());
  }
  if (!PLAIN.has(headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary')) throw malformed();
  const disposition = headers.get('content-disposition') ?? '';
  const name = parameterOf(disposition, 'name');
  if (name !== null && name.length > MAX_NAME_LENGTH) {
    throw ValidationFailed.at('body', `has a field whose name has more than ${MAX_NAME_LENGTH} characters`);
  }
  const hasFileName = parameterOf(disposition, 'filename') !== null || parameterOf(disposition, 'filename*') !== null;
  return { name, hasFileName, contentType: headers.get('content-type') ?? null };
}

/** Returns a parameter of a header, such as `boundary`; null when absent. A quoted value is taken as browsers write it. */
function parameterOf(header: string, name: string): string | null {
  for (const [, given = '', quoted, plain = ''] of header.matchAll(PARAMETER)) {
    if (given.toLowerCase() === name) return quoted ?? plain.trim();
  }
  return null;
}

function malformed(): ValidationFailed {
  return ValidationFailed.at('body', 'is not a complete multipart/form-data body with one file');
}
