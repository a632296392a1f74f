import { SaxesParser, type SaxesTagNS } from 'saxes';
import { refusedLogo } from '../LogoImage';
import { allowedElements, drawnAsGroup } from './allowList';
import { DrawingCost } from './DrawingCost';
import { checkStyle } from './checkStyle';
import { escapeText, safeAttributes } from './safeAttributes';

const SVG = 'http://www.w3.org/2000/svg';
/** Far more than any drawing program nests, and nothing that exhausts a stack. */
const MAX_DEPTH = 100;

/**
 * Writes an SVG anew from what a strict XML parser found in it: only elements and attributes of the allow-list, no DOCTYPE,
 * no comments, no processing instructions. What draws nothing (scripts, handlers, an editor's own data) is left out.
 * @throws {ValidationFailed} when it is no well-formed SVG, or what it draws depends on something that is not allowed:
 * entities of its own, references out of the file, too much to draw.
 */
export function sanitizeSvg(text: string): string {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const writer = new SafeSvgWriter();
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw refusedLogo('has a DOCTYPE with declarations, which a logo cannot have');
  });
  parser.on('opentag', (tag) => writer.open(tag));
  parser.on('closetag', () => writer.close());
  parser.on('text', (content) => writer.text(content));
  parser.on('cdata', (content) => writer.text(content));
  parser.on('error', (error) => {
    throw refusedLogo(`is not a well-formed SVG: ${error.message}`);
  });
  parser.write(text).close();
  return writer.finish();
}

/** `null` for an element that is left out with all that it holds. */
type Open = { name: string; style: string } | null;

class SafeSvgWriter {
  private readonly out: string[] = [];
  private readonly opened: Open[] = [];
  private readonly cost = new DrawingCost();
  private readonly gradients = new Set<string>();
  private readonly styled: string[] = [];

  open(tag: SaxesTagNS): void {
    const parent = this.opened[this.opened.length - 1];
    if (this.opened.length >= MAX_DEPTH) throw refusedLogo(`nests elements more than ${MAX_DEPTH} deep`);
    const name = drawnAsGroup.has(tag.local) ? 'g' : tag.local;
    if (parent === undefined && (tag.uri !== SVG || name !== 'svg')) {
      throw refusedLogo(
        'must be a PNG, JPEG or SVG image; the root of an SVG is <svg xmlns="http://www.w3.org/2000/svg">',
      );
    }
    if (parent === null || parent?.name === 'style' || tag.uri !== SVG || !allowedElements.has(name)) {
      this.opened.push(null);
      return;
    }
    const { id, text, references } = safeAttributes(name, Object.values(tag.attributes));
    this.opened.push({ name, style: '' });
    this.cost.begin(id, references);
    if (id !== undefined && name.endsWith('Gradient')) this.gradients.add(id);
    this.out.push(`<${name}${parent === undefined ? ` xmlns="${SVG}"` : ''}${text}>`);
  }

  text(content: string): void {
    const element = this.opened[this.opened.length - 1];
    if (element?.name === 'style') element.style += content;
    else if (element) this.out.push(escapeText(content));
  }

  close(): void {
    const element = this.opened.pop();
    if (!element) return;
    if (element.name === 'style') {
      const { value, references } = checkStyle(element.style);
      this.styled.push(...references);
      this.out.push(escapeText(value));
    }
    this.cost.end();
    this.out.push(`</${element.name}>`);
  }

  /** A rule applies to any number of elements, so it may refer only to what costs nothing to draw: gradients. */
  finish(): string {
    if (this.styled.some((id) => !this.gradients.has(id))) {
      throw refusedLogo('has a style sheet that refers to more than gradients; export it with presentation attributes');
    }
    this.cost.check();
    return this.out.join('');
  }
}
