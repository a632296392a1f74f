// `npm run test:isolation -- [options]`
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/proof/isolation/index.js');
