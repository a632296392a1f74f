// `npm run client`: writes the generated part of clients/typescript from the OpenAPI document.
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
await import('../dist/dev/client/index.js');
