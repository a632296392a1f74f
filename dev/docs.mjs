// `npm run docs`: writes the generated pages of docs/, and the generated part of clients/typescript.
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/dev/docs/index.js');
if (!process.exitCode) await import('../dist/dev/client/index.js');
