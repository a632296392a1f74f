import { contrastWithWhite, documentColor } from '../../../shared/documents/brandColor';

const contrastOf = (color: string) => contrastWithWhite([...Buffer.from(color.slice(1), 'hex')]);

describe('documentColor', () => {
  it.each(['#000000', '#0f766e', '#B91C1C', '#767676'])(
    'of %s, in which white can be read › is that colour',
    (color) => {
      expect(documentColor(color)).toBe(color.toLowerCase());
    },
  );

  it.each(['#ffffff', '#facc15', '#00ff00', '#777777', '#f97316'])('of %s › is darkened just enough', (color) => {
    const darkened = documentColor(color);
    expect(contrastOf(darkened)).toBeGreaterThanOrEqual(4.5);
    expect(contrastOf(darkened)).toBeLessThan(4.8);
  });

  it.each([null, undefined, 'red', '#fff', '#0f766e; } body { display: none'])('of %s › is ours', (color) => {
    expect(documentColor(color)).toBe('#1e3a8a');
  });
});

describe('contrastWithWhite', () => {
  it('has the values of WCAG', () => {
    expect(contrastOf('#ffffff')).toBeCloseTo(1, 10);
    expect(contrastOf('#000000')).toBeCloseTo(21, 10);
    expect(contrastOf('#767676')).toBeCloseTo(4.54, 2);
    expect(contrastOf('#ff0000')).toBeCloseTo(4, 2);
  });
});
