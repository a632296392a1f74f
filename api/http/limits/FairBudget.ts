import type { FlowKey } from '../../../shared/engine/fair';

/** The holdings of one company in a {@link FairBudget}. */
interface Share {
  readonly flow: FlowKey;
  bytes: number;
  /** Its holdings that are not released. */
  holdings: number;
  /** Holdings of bytes that can be cut to make room; the one that has been silent longest comes first. */
  readonly unfinished: Set<Holding>;
}

/**
 * Bounds the bytes that requests hold, shared between companies: one company holds at most half. When there is no room,
 * unfinished holdings are cut: the company's own if it is above its half, else those of the company with the most unfinished bytes.
 */
export class FairBudget {
  private taken = 0;
  private readonly shares = new Map<FlowKey, Share>();

  /** `total` in bytes. */
  constructor(private readonly total: number) {}

  /** Begins a holding of 0 bytes, which needs a `release`. Calls `cut` after its bytes were taken away. */
  open(flow: FlowKey, cut: () => void): Holding {
    const share = this.shares.get(flow) ?? { flow, bytes: 0, holdings: 0, unfinished: new Set() };
    this.shares.set(flow, share);
    share.holdings += 1;
    return new Holding(this, share, cut);
  }

  /** For {@link Holding}. */
  take(holding: Holding, bytes: number): boolean {
    const { share } = holding;
    const half = this.total / 2;
    while (share.bytes + bytes > half || this.taken + bytes > this.total) {
      const from = share.bytes + bytes > half ? share : this.largestShare();
      const victim = firstBut(holding, from.unfinished);
      if (victim === undefined) return false;
      victim.cut();
    }
    this.taken += bytes;
    share.bytes += bytes;
    share.unfinished.delete(holding);
    share.unfinished.add(holding);
    return true;
  }

  /** For {@link Holding}. */
  giveBack({ share, bytes }: Holding): void {
    this.taken -= bytes;
    share.bytes -= bytes;
    share.holdings -= 1;
    if (share.holdings === 0) this.shares.delete(share.flow);
  }

  private largestShare(): Share {
    const unfinishedBytes = (share: Share): number => [...share.unfinished].reduce((sum, { bytes }) => sum + bytes, 0);
    return [...this.shares.values()].reduce((a, b) => (unfinishedBytes(b) > unfinishedBytes(a) ? b : a));
  }
}

/** Thousands of requests may hold bytes: they are not copied. */
function firstBut(holding: Holding, unfinished: ReadonlySet<Holding>): Holding | undefined {
  for (const one of unfinished) if (one !== holding && one.bytes > 0) return one;
  return undefined;
}

/** The bytes that one request holds of a {@link FairBudget}. */
export class Holding {
  bytes = 0;
  private isReleased = false;

  constructor(
    private readonly budget: FairBudget,
    readonly share: Share,
    private readonly wasCut: () => void,
  ) {}

  /** Reserves more bytes. Returns false, and reserves nothing, when no room can be made. */
  tryTake(bytes: number): boolean {
    if (this.isReleased || !this.budget.take(this, bytes)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Keeps its bytes until the release. A complete body is never cut. */
  finish(): void {
    this.share.unfinished.delete(this);
  }

  /** Gives all bytes back. Safe to call twice. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.share.unfinished.delete(this);
    this.budget.giveBack(this);
    this.bytes = 0;
  }

  /** For {@link FairBudget}. */
  cut(): void {
    this.release();
    this.wasCut();
  }
}
