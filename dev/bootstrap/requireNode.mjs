// Imported first by every script of this folder: exits with instructions on a Node.js that is too old, before newer syntax is loaded. In older
// ones, a request body full of numbers in quotes holds up the process for two seconds (CVE-2026-21717).
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const oldest = { 20: [20, 2], 22: [22, 2], 24: [14, 1] }[major] ?? [major > 24 ? 0 : Infinity, 0];
if (minor < oldest[0] || (minor === oldest[0] && patch < oldest[1])) {
  console.error(
    `This needs Node.js 20.20.2+, 22.22.2+ or 24.14.1+, and runs on ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org or with your version manager (nvm install 24), and try again.',
  );
  process.exit(1);
}
