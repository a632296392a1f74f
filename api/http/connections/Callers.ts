import { companyOf, type FlowKey } from '../../../shared/engine/fair';

/**
 * What waits for its turn, in order for each caller: one of each company after the other. All callers without a known key are one company:
 * one of them may have any number of networks. Among them, one of each network comes after the other.
 */
export class Callers<Item> {
  size = 0;
  /** The company, and within it the caller, of the next one comes first. */
  private readonly companies = new Map<FlowKey, Map<FlowKey, Set<Item>>>();

  add(caller: FlowKey, item: Item): void {
    const company = companyOf(caller);
    const callers = this.companies.get(company) ?? new Map<FlowKey, Set<Item>>();
    const items = callers.get(caller) ?? new Set();
    this.companies.set(company, callers.set(caller, items.add(item)));
    this.size += 1;
  }

  delete(caller: FlowKey, item: Item): void {
    const company = companyOf(caller);
    const callers = this.companies.get(company);
    const items = callers?.get(caller);
    if (items?.delete(item) !== true) return;
    this.size -= 1;
    if (items.size === 0) callers?.delete(caller);
    if (callers?.size === 0) this.companies.delete(company);
  }

  /** Takes the next one; undefined when there is none. */
  next(): Item | undefined {
    for (const callers of this.companies.values()) {
      for (const [caller, items] of callers) {
        for (const item of items) {
          this.delete(caller, item);
          // Those of whom more waits go to the end.
          moveToEnd(callers, caller);
          moveToEnd(this.companies, companyOf(caller));
          return item;
        }
      }
    }
    return undefined;
  }
}

function moveToEnd<Value>(map: Map<FlowKey, Value>, key: FlowKey): void {
  const value = map.get(key);
  if (value !== undefined && map.delete(key)) map.set(key, value);
}
