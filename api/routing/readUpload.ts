import { readFile, rm } from 'node:fs/promises';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { ValidationFailed } from '../../shared/errors';
import { bodyTooLarge, hasBody, unsupportedMediaType } from './readBody';

interface UploadedFile {
  filepath: string;
  size: number;
}

/**
 * The bytes of the one file of a multipart body.
 * @throws {AppError} 415 for another type, 413 when the file is too large; {@link ValidationFailed} when it is missing or
 * empty.
 */
export async function readUpload(
  ctx: Context,
  { field, maxBytes }: { field: string; maxBytes: number },
): Promise<Buffer> {
  if (hasBody(ctx) && !ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data');
  const files = await parse(ctx, maxBytes);
  try {
    const file = files.find(({ name }) => name === field)?.file;
    if (file === undefined || file.size === 0) throw ValidationFailed.at(field, 'must be a file that is not empty');
    return await readFile(file.filepath);
  } finally {
    await Promise.all(files.map(({ file }) => rm(file.filepath, { force: true })));
  }
}

async function parse(ctx: Context, maxBytes: number): Promise<{ name: string; file: UploadedFile }[]> {
  const parseMultipart = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    formidable: { maxFileSize: maxBytes, maxFiles: 1, allowEmptyFiles: true, minFileSize: 0 },
  });
  try {
    await parseMultipart(ctx, () => Promise.resolve());
  } catch (error) {
    const { httpCode, code } = error as { httpCode?: number; code?: number };
    if (httpCode === 413 || code === 1009 || code === 1015 || code === 1016) throw bodyTooLarge(maxBytes);
    if (httpCode === 400) throw ValidationFailed.at('body', 'is not a complete multipart/form-data body with one file');
    throw error;
  }
  const given = (ctx.request as { files?: Record<string, UploadedFile | UploadedFile[] | undefined> }).files ?? {};
  return Object.entries(given).flatMap(([name, file]) =>
    [file].flat().flatMap((one) => (one ? [{ name, file: one }] : [])),
  );
}
