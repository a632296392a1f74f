import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from '../../config/paths';

/** The folder of the templates, read from the sources also when the compiled code runs. */
export const templatesDir = join(projectRoot, 'shared', 'documents', 'templates');

const escaping = new Eta({ views: templatesDir, autoEscape: true, cache: true });
const plain = new Eta({ views: templatesDir, autoEscape: false, autoTrim: false, cache: true });

/** Renders an HTML template; every value is escaped, for text and quoted attributes alike. Compiled once a process. */
export function renderHtml(name: string, values: object): string {
  return escaping.render(`./${name}.eta`, values);
}

/** Renders a plain-text template; nothing is escaped. */
export function renderText(name: string, values: object): string {
  return plain.render(`./${name}.eta`, values);
}
