// `npm start`: a full installation on this machine, from a clone with nothing installed.
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/dev/start.js');
