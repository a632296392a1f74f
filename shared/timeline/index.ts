/** Timelines: the events of one record as sentences. */
export {
  listTimeline,
  presentTimelineEntry,
  timelineEntry,
  type TimelineKind,
  timelineQuery,
  type TimelineRequest,
} from './listTimeline';
