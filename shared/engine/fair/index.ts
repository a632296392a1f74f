/** Fair queues, concurrency limits and meters: how companies share the slots and the processor of a process. */
export { CostPause, pauseAfterMs } from './CostPause';
export { companyOf, FairQueue, type FlowKey, type Turn } from './FairQueue';
export { FairSlots } from './FairSlots';
export { LoopShare } from './LoopShare';
export { endings, Pieces } from './Pieces';
export { SlotPool } from './SlotPool';
export { Turns } from './Turns';
export { WorkMeter } from './WorkMeter';
