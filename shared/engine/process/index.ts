/** What a process is: its start, its readiness, its orderly end. */
export { guardStart } from './guardStart';
export { listen } from './listen';
export { logCrash, onShutdown, runEntry, tellReady } from './process';
