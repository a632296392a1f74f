/** What the rest of the program may use of this feature. */
export {
  listTimeline,
  presentTimelineEntry,
  timelineEntry,
  type TimelineKind,
  timelineQuery,
  type TimelineRequest,
} from './listTimeline';
