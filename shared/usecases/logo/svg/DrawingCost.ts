import { refusedLogo } from '../LogoImage';

/** More than any logo has when every reference is followed; a browser draws it in well under a second. */
const MAX_DRAWN = 100_000;

interface Part {
  /** Ids of the elements that this one draws by reference. */
  references: string[];
  children: Part[];
}

/**
 * Counts the elements that are drawn when references are followed, so that a small file in which references multiply (one
 * group used ten times by the next, and so on) cannot keep a browser busy for hours.
 */
export class DrawingCost {
  private readonly root: Part = { references: [], children: [] };
  private readonly open: Part[] = [this.root];
  private readonly byId = new Map<string, Part>();

  /** An element begins inside the one that began last and has not ended. */
  begin(id: string | undefined, references: string[]): void {
    const part: Part = { references, children: [] };
    this.open[this.open.length - 1]?.children.push(part);
    this.open.push(part);
    if (id !== undefined && !this.byId.has(id)) this.byId.set(id, part);
  }

  end(): void {
    this.open.pop();
  }

  /** @throws {ValidationFailed} when too much would be drawn, or something draws itself. */
  check(): void {
    if (this.costOf(this.root, new Map()) > MAX_DRAWN) throw refusedLogo('draws too many elements');
  }

  private costOf(part: Part, known: Map<Part, number>): number {
    const cost = known.get(part);
    if (cost === Infinity) throw refusedLogo('has an element that refers to itself');
    if (cost !== undefined) return cost;
    known.set(part, Infinity);
    let total = 1;
    for (const child of part.children) total += this.costOf(child, known);
    for (const id of part.references) {
      const target = this.byId.get(id);
      if (target !== undefined) total += this.costOf(target, known);
    }
    known.set(part, total);
    return total;
  }
}
