import { png } from '../../../dev/png';
import { logoAttack } from './printFreshInvoices';
import { svg } from './svg';

const drawing = (content: string, attributes = '') => ({
  content: Buffer.from(svg(content, attributes)),
  type: 'svg+xml' as const,
});

export const nestedRules = logoAttack('pdf-nested-rules', '24 CSS rules in each other, `& &`', () => {
  const levels = 24;
  const rules = `${'& & {'.repeat(levels)} fill: red ${'}'.repeat(levels)}`;
  const depth = 30;
  const groups = `${'<g>'.repeat(depth)}<rect width="9" height="9"/>${'</g>'.repeat(depth)}`;
  return drawing(`<style><![CDATA[g { ${rules} }]]></style>${groups}`);
});

export const dashes = logoAttack('pdf-dashes', 'lines of 10^9 dashes', () =>
  drawing(
    Array.from(
      { length: 200 },
      (_, index) =>
        `<path d="M0 ${index} L1000000 ${index}" stroke="red" stroke-width="0.01" stroke-dasharray="0.001 0.001"/>`,
    ).join(''),
  ),
);

export const masks = logoAttack('pdf-masks', '1,000 shapes through 40 masks of masks', () => {
  const depth = 40;
  const chain = Array.from({ length: depth }, (_, index) => {
    const inner = index === 0 ? '' : ` mask="url(#m${index - 1})"`;
    return `<mask id="m${index}"><rect width="100" height="100" fill="white"${inner}/></mask>`;
  });
  const shape = `<rect width="100" height="100" mask="url(#m${depth - 1})"/>`;
  return drawing(`<defs>${chain.join('')}</defs>${shape.repeat(1_000)}`);
});

export const manySelectors = logoAttack('pdf-selectors', '100,000 selectors', () => {
  const selectors = Array.from({ length: 100_000 }, (_, index) => `g:not(#a${index})`).join(' ');
  const rules = selectors.slice(0, 900_000).replace(/ [^ ]*$/, '');
  return drawing(`<style>${rules.replaceAll(' ', ',')} { fill: red }</style>${'<g/>'.repeat(2_000)}`);
});

export const imageBomb = logoAttack('pdf-image-bomb', 'a PNG of 12,000 × 12,000 pixels in less than 1 MiB', () => ({
  content: png(12_000, 12_000),
  type: 'png',
}));
