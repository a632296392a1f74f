import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { browserPackage } from './browserPackage';
import { templatesDir } from './templates';

let version: string | undefined;

/**
 * Returns a hash over everything but the invoice that shapes a page: templates, the code and languages of this folder, and the packages of
 * fonts, templates, QR codes and browser. Computed once a process; the same in every process of one build.
 */
export function templateVersion(): string {
  return (version ??= computeVersion());
}

function computeVersion(): string {
  const hash = createHash('sha256');
  for (const folder of [__dirname, join(__dirname, 'languages'), templatesDir]) {
    const names = readdirSync(folder).filter((name) => folder === templatesDir || extname(name) === '.js');
    for (const name of names.sort()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  }
  hash.update(JSON.stringify([...shapingPackages(), browserPackage().version]));
  return hash.digest('hex');
}

function shapingPackages(): [string, string][] {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.entries(manifest.dependencies).filter(([name]) =>
    /^(@fontsource\/.*|noto-sans-sc|eta|qrcode)$/.test(name),
  );
}
