// `npm run -s cli -- <command>`: uses the servers of a running `npm start`, unless the environment names others.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import util from 'node:util';
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
const serversFile = join(process.env.DATA_DIR || '.data', 'servers.env');
if (existsSync(serversFile)) {
  for (const [name, value] of Object.entries(util.parseEnv(readFileSync(serversFile, 'utf8')))) {
    if (!process.env[name]) process.env[name] = value;
  }
} else if (!process.env.DATABASE_URL) {
  console.error(
    `No \`npm start\` has run with the data folder ${dirname(serversFile)}, and DATABASE_URL is not set: start one, name the ` +
      'database, or name the folder of the copy that you mean: DATA_DIR=.data2 npm run -s cli -- …',
  );
}
await import('../dist/cli/index.js');
