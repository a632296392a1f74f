// Imported first by every entry: exits with instructions on a Node.js that is too old, before newer syntax is loaded.
const [major, minor] = process.versions.node.split('.').map(Number);
const good = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
if (!good) {
  console.error(
    `This needs Node.js 20.19+, 22.13+ or 24+, and runs on ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org or with your version manager (nvm install 22), and try again.',
  );
  process.exit(1);
}
