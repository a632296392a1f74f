// `npm run test:cluster -- [options]`
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/proof/cluster/index.js');
