// `npm run docs`: writes the generated pages of docs/.
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/dev/docs/index.js');
