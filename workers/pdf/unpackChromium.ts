import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { browserPackage } from '../../shared/document/browserPackage';
import { readTar } from './readTar';

const { folder: packageFolder, version } = browserPackage();
const packed = join(packageFolder, 'bin');

/** True where the browser inside the npm package runs: Linux on x64. */
export const bundledChromiumRuns = process.platform === 'linux' && process.arch === 'x64';

/** Unpacks the npm package's browser (190 MB) and the libraries that a bare machine lacks, once. */
export async function unpackBrowser(folder: string): Promise<{ binary: string; libraries: string }> {
  const unpacked = await unpackOnce(folder, `chromium-${version}`, async (to) => {
    const binary = createWriteStream(join(to, 'chromium'), { mode: 0o755 });
    await pipeline(createReadStream(join(packed, 'chromium.br')), createBrotliDecompress(), binary);
    await unpackTar('al2023.tar.br', to);
  });
  return { binary: join(unpacked, 'chromium'), libraries: join(unpacked, 'lib') };
}

/**
 * The fontconfig file of every browser that is started here: it knows the npm package's one typeface and no font of the
 * machine, so that a PDF looks the same everywhere; text itself is set in fonts that the page brings.
 */
export async function unpackFontConfig(folder: string): Promise<string> {
  const fonts = `fonts-${version}`;
  const unpacked = await unpackOnce(folder, fonts, async (to) => {
    await unpackTar('fonts.tar.br', to);
    const dir = join(folder, fonts, 'fonts');
    const cache = join(folder, 'fontconfig-cache');
    await writeFile(
      join(to, 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${dir}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
    );
  });
  return join(unpacked, 'fonts.conf');
}

/** Several processes may do this at once: each unpacks aside, the first one's folder stays, and nobody sees half of one. */
async function unpackOnce(parent: string, name: string, unpack: (to: string) => Promise<void>): Promise<string> {
  const target = join(parent, name);
  if (await exists(target)) return target;
  const aside = join(parent, `.unpacking-${randomUUID()}`);
  try {
    await mkdir(aside, { recursive: true });
    await unpack(aside);
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  }
  return target;
}

async function unpackTar(archive: string, to: string): Promise<void> {
  const bytes = await promisify(brotliDecompress)(await readFile(join(packed, archive)));
  for (const file of readTar(bytes)) {
    await mkdir(dirname(join(to, file.name)), { recursive: true });
    await writeFile(join(to, file.name), file.bytes);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
