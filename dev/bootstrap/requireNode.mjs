// Imported first by every script of this folder: exits with instructions on a Node.js that is too old, before newer syntax is loaded. The API
// and the workers check the same versions themselves.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const fits = engines.node.split(' || ').some((range) => {
  const [leastMajor, leastMinor, leastPatch] = range.match(/\d+/g).map(Number);
  if (major !== leastMajor) return major > leastMajor && range.startsWith('>=');
  return minor > leastMinor || (minor === leastMinor && patch >= leastPatch);
});
if (!fits) {
  console.error(
    `This needs Node.js ${engines.node}, and runs on ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org or with your version manager (nvm install 24), and try again.',
  );
  process.exit(1);
}
