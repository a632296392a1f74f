import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './paths';

const { version: read } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };

/** The version in package.json. */
export const version = read;
