/** The exports of this feature that other features may use. */
export {
  listTimeline,
  presentTimelineEntry,
  timelineEntry,
  type TimelineKind,
  timelineQuery,
  type TimelineRequest,
} from './listTimeline';
