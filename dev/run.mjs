// `npm start` and the other scripts of package.json: brings the clone up to date, and runs the compiled entry that comes first.
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

const [entry] = process.argv.splice(2, 1);
await bootstrap();
await import(`../dist/${entry}.js`);
