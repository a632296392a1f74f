import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** What a reader finds in a PDF. Lengths in points, from the page's lower left corner. */
export interface ReadPdf {
  title: string;
  language: string;
  /** Viewers show the title in the place of the file's name. */
  showsTitle: boolean;
  pages: {
    /** In the order in which it is drawn. */
    text: string;
    /** In the order of the tags, as a screen reader says it. */
    spoken: string;
    items: { text: string; left: number; right: number }[];
    images: { width: number; height: number }[];
    width: number;
    right: number;
    bottom: number;
  }[];
  fonts: { name: string; embedded: boolean }[];
  /** Characters drawn as the empty box. */
  missingGlyphs: number;
}

type Reply = { id: number } & ({ result: ReadPdf } | { failure: string });

let reader: ChildProcess | undefined;
const waiting = new Map<number, (reply: Reply) => void>();
let lastId = 0;

/** Reads a PDF with pdf.js, in a process that lives as long as the test file. */
export function readPdf(pdf: Buffer): Promise<ReadPdf> {
  reader ??= startReader();
  const id = ++lastId;
  reader.send({ id, pdf });
  return new Promise((resolve, reject) =>
    waiting.set(id, (reply) => ('result' in reply ? resolve(reply.result) : reject(new Error(reply.failure)))),
  );
}

afterAll(() => reader?.disconnect());

function startReader(): ChildProcess {
  const child = fork(join(__dirname, 'readPdf.mjs'), { serialization: 'advanced' });
  child.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  child.once('exit', () =>
    waiting.forEach((settle, id) => settle({ id, failure: 'the process that reads PDFs has ended' })),
  );
  return child;
}
