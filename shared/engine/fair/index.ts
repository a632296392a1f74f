/** How companies share what they use together: who is next, and how much of it. */
export { FairQueue, type FairQueueOptions, type Turn } from './FairQueue';
export { FairSlots, type Leave } from './FairSlots';
export { LoopShare } from './LoopShare';
export { type Meter, WorkMeter } from './Meter';
export { Slots } from './Slots';
