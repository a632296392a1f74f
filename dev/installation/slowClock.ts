// Preloaded with `--require`: the clock of this process is an hour behind.
const behindMs = 3_600_000;
const RealDate = Date;

class SlowDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<typeof Date>) {
    if (given.length === 0) super(RealDate.now() - behindMs);
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() - behindMs;
  }
}

globalThis.Date = SlowDate as DateConstructor;
