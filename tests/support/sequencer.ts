import { numberEvents, type Numbered } from '../../shared/engine/events/numberEvents';
import type { Services } from '../../shared/services';
import { Sequencer } from '../../workers/events/Sequencer';
import { atEnd } from './installation';

/** Numbers every event that is committed, as the workers do. */
export async function numberAll(services: Services): Promise<void> {
  let numbered: Numbered | null;
  do {
    numbered = await services.performForInstallation('sequencer', numberEvents);
    if (numbered !== null) services.eventSignals.numbered(numbered.newest);
  } while (numbered === null || numbered.isFull);
}

/** A sequencer as each worker has one; stopped after the file's last test. */
export function startSequencer(services: Services): Sequencer {
  const sequencer = new Sequencer(services);
  sequencer.start();
  atEnd(() => sequencer.stop());
  return sequencer;
}
