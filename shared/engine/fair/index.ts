/** Fair queues, concurrency limits and meters: how companies share the slots and the processor of a process. */
export { CostPause, pauseAfterMs } from './CostPause';
export { companyOf, FairQueue, type FairQueueOptions, type FlowKey, type Turn } from './FairQueue';
export { FairSlots, type Leave } from './FairSlots';
export { LoopShare } from './LoopShare';
export { type Meter, WorkMeter } from './Meter';
export { endings } from './Pieces';
export { SlotPool } from './SlotPool';
export { Turns } from './Turns';
