/** Preloaded into a process (`NODE_OPTIONS=--require …`): its machine's clock is wrong by TEST_CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now() {
    return now();
  }
};
