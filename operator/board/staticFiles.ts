import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Middleware } from 'koa';

/** Serves the files that a folder has now, below a route. Their names are read once, so that no path leads out of the folder. */
export async function staticFiles(route: string, folder: string): Promise<Middleware> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [`${route}/${relative(folder, file).replaceAll(sep, '/')}`, file]),
  );
  return async (ctx, next) => {
    const file = files.get(ctx.path);
    if (file === undefined || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    const { size, mtime } = await stat(file);
    ctx.type = extname(file);
    ctx.length = size;
    ctx.lastModified = mtime;
    ctx.body = createReadStream(file);
  };
}
