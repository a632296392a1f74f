// `npm run test:faults -- [options]`
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/proof/faults/index.js');
