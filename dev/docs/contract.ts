import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../api/http/openapi/document';
import { routes } from '../../api/routes';
import { projectRoot } from '../../config/paths';
import type { ContractDocument } from './contractBreaks';

/** From the repository's root: the contract with callers. */
export const contractPath = 'docs/openapi.json';

/** Returns the OpenAPI document of this version, of an installation at an example address. */
export function currentDocument(): ContractDocument {
  return openApiDocument(routes, 'https://invoices.example.com') as ContractDocument;
}

/** Returns the text of {@link contractPath} for this version. */
export const renderContract = (): string => `${JSON.stringify(currentDocument(), null, 2)}\n`;

/** Reads the committed contract. */
export const keptContract = (): ContractDocument =>
  JSON.parse(readFileSync(join(projectRoot, contractPath), 'utf8')) as ContractDocument;
