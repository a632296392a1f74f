import type { Tools } from '../../workers/jobs/JobRun';

interface Meeting {
  /** How many wait for one another. */
  readonly count: number;
  /** Runs once all have come, before any goes on. */
  readonly then?: () => Promise<unknown>;
}

function meeting({ count, then }: Meeting): () => Promise<unknown> {
  let come = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve)).then(then);
  return () => {
    come += 1;
    if (come >= count) open();
    return opened;
  };
}

/**
 * The tools of e-mails that are run at the same time: they wait for one another before they begin, and when the mail server has taken their
 * messages, before any is recorded. So each stage is one round of all.
 */
export function inRounds(tools: Tools, begins: Meeting, records: Meeting = { count: begins.count }): Tools {
  const { email } = tools.rateLimits;
  const [begun, handedOver] = [meeting(begins), meeting(records)];
  return {
    ...tools,
    rateLimits: {
      ...tools.rateLimits,
      email: {
        hold: (ms) => email.hold(ms),
        turn: async (caller) => {
          await email.turn(caller);
          await begun();
        },
      },
    },
    email: {
      close: () => tools.email.close(),
      send: async (message, signal) => {
        const accepted = await tools.email.send(message, signal);
        await handedOver();
        return accepted;
      },
    },
  };
}
