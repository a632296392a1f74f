import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from '../../config/paths';

/** The folder of the templates, which are not compiled. */
export const templatesDir = join(projectRoot, 'shared', 'documents', 'templates');

const escaping = new Eta({ autoEscape: true });
const plain = new Eta({ autoEscape: false, autoTrim: false });

/** Renders an HTML template; every value is escaped, for text and quoted attributes alike. Compiled once a process. */
export function renderHtml(name: string, values: object): string {
  return escaping.render(compiled(escaping, name), values);
}

/** Renders a plain-text template; nothing is escaped. */
export function renderText(name: string, values: object): string {
  return plain.render(compiled(plain, name), values);
}

/** Returns the name of a compiled template. By its path, Eta would resolve and check it for each rendering. */
function compiled(eta: Eta, name: string): string {
  const loaded = `@${name}`;
  if (eta.templatesSync.get(loaded) === undefined) {
    eta.loadTemplate(loaded, readFileSync(join(templatesDir, `${name}.eta`), 'utf8'));
  }
  return loaded;
}
