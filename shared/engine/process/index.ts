/** The life of a process: start, readiness and orderly end. */
export { goAfterOthers } from './goAfterOthers';
export { guardStart } from './guardStart';
export { isRunning } from './isRunning';
export { listen } from './listen';
export { logCrash, onShutdown, runEntry, tellReady } from './process';
