// `npm run test:upgrade -- [options]`
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/proof/upgrade/index.js');
