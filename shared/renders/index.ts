/** What a process knows of renders: which companies' are slow, and which ones its requests wait for. */
export { SlowRenders } from './SlowRenders';
export { WaitedRenders } from './WaitedRenders';
