import type { FlowKey } from '../../../shared/engine/fair';

/** What waits for its turn, in order for each caller: one of each caller after the other. */
export class Callers<Item> {
  size = 0;
  /** The caller of the next one comes first. */
  private readonly waiting = new Map<FlowKey, Set<Item>>();

  add(caller: FlowKey, item: Item): void {
    const items = this.waiting.get(caller) ?? new Set();
    this.waiting.set(caller, items.add(item));
    this.size += 1;
  }

  delete(caller: FlowKey, item: Item): void {
    const items = this.waiting.get(caller);
    if (items?.delete(item) !== true) return;
    this.size -= 1;
    if (items.size === 0) this.waiting.delete(caller);
  }

  /** Takes the next one; undefined when there is none. */
  next(): Item | undefined {
    for (const [caller, items] of this.waiting) {
      for (const item of items) {
        this.delete(caller, item);
        // A caller of whom more waits goes to the end.
        if (this.waiting.delete(caller)) this.waiting.set(caller, items);
        return item;
      }
    }
    return undefined;
  }
}
