import { readLogo } from '../../../shared/usecases/logo/readLogo';
import { jpeg, png, svg } from '../../support/images';

const read = (text: string): string => readLogo(Buffer.from(text)).bytes.toString('utf8');
const body = (content: string): string => read(svg(content)).replace(/^<svg[^>]*>|<\/svg>$/g, '');

describe('a raster logo', () => {
  test('is a PNG or JPEG by its content, with as many pixels a side as can be decoded safely', () => {
    expect(readLogo(png())).toEqual({ extension: 'png', contentType: 'image/png', bytes: png() });
    expect(readLogo(jpeg())).toEqual({ extension: 'jpg', contentType: 'image/jpeg', bytes: jpeg() });
    expect(readLogo(jpeg(4096, 4096)).extension).toBe('jpg');
    for (const tooLarge of [png(4097, 1), png(1, 4097), jpeg(4097, 1), jpeg(1, 65535), jpeg(0, 1)]) {
      expect(() => readLogo(tooLarge)).toThrow('must have 1 to 4096 pixels a side');
    }
  });

  test('ends where its PNG ends: what was appended is cut off', () => {
    const polyglot = Buffer.concat([png(), Buffer.from('<script>alert(1)</script>')]);
    expect(readLogo(polyglot).bytes).toEqual(png());
  });

  test('is refused when it is damaged', () => {
    const flipped = png();
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    for (const damaged of [png().subarray(0, 40), flipped, png().subarray(0, 8)]) {
      expect(() => readLogo(damaged)).toThrow('is a damaged PNG');
    }
    for (const damaged of [jpeg().subarray(0, 30), jpeg().subarray(0, 10), Buffer.from([0xff, 0xd8, 0xff])]) {
      expect(() => readLogo(damaged)).toThrow('is a damaged JPEG');
    }
  });

  test.each(['GIF89a', '%PDF-1.7', 'hello', '', '\x00\xff\xfe', '{"a":1}'])('is not %j', (text) => {
    expect(() => readLogo(Buffer.from(text, 'latin1'))).toThrow('must be a PNG, JPEG or SVG image');
  });
});

describe('an SVG logo', () => {
  test('keeps what it draws: shapes, gradients, clips, text, styles and embedded pictures', () => {
    const data = `data:image/png;base64,${png().toString('base64')}`;
    const content =
      '<defs><linearGradient id="g" gradientTransform="rotate(90)"><stop offset="0" stop-color="#f00"></stop></linearGradient>' +
      '<clipPath id="c"><rect width="10" height="10"></rect></clipPath></defs>' +
      '<style>.a{fill:url(#g);stroke:rgb(1,2,3)}</style>' +
      '<g clip-path="url(#c)" transform="translate(1 2) scale(.5)"><path class="a" d="M0 0L1 1z"></path></g>' +
      `<text x="1" font-family="Arial">R&amp;D &lt;3</text><image href="${data}" width="1"></image><use href="#c"></use>`;
    expect(body(content)).toBe(content);
  });

  test('is written anew: no prolog, DOCTYPE, comment or instruction, prefixes resolved, xlink:href as href', () => {
    const given =
      `\ufeff<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="http://evil.example/x.css"?>
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <!-- made by hand --><s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink">` +
      '<s:g id="a"/><s:use x:href="#a"/></s:svg>';
    expect(read(given)).toBe('<svg xmlns="http://www.w3.org/2000/svg"><g id="a"></g><use href="#a"></use></svg>');
  });

  test.each([
    ['a script', '<script>alert(1)</script>', ''],
    ['a script in CDATA', '<script><![CDATA[alert(1)]]></script>', ''],
    ['a script of another namespace', '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>', ''],
    ['foreign content', '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">x</div></foreignObject>', ''],
    ['a handler', '<rect onload="alert(1)" OnClick="alert(1)" width="1"/>', '<rect width="1"></rect>'],
    ['an animation', '<rect><set attributeName="href" to="javascript:alert(1)"/></rect>', '<rect></rect>'],
    ['a link', '<a href="https://company.example"><rect/></a>', '<g><rect></rect></g>'],
    ['a link that runs', '<a xlink:href="javascript:alert(1)"><rect/></a>', '<g><rect></rect></g>'],
    ['a filter', '<filter id="f"><feImage href="http://evil.example/"/></filter>', ''],
    ['an editor’s own data', '<i:x xmlns:i="http://inkscape.example/" i:y="1"><rect/></i:x>', ''],
    ['markup in a style sheet', '<style><b xmlns="">a{}</b></style>', '<style></style>'],
    ['text that looks like markup', '<text>&lt;script&gt;</text>', '<text>&lt;script&gt;</text>'],
  ])('loses %s', (_what, given, expected) => {
    expect(body(given)).toBe(expected);
  });

  test.each([
    ['a picture from elsewhere', '<image href="https://evil.example/a.png"/>'],
    ['a picture from a file', '<image xlink:href="file:///etc/passwd"/>'],
    ['a picture without a scheme', '<image href="//evil.example/a.png"/>'],
    ['an SVG as data', '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>'],
    ['data that is no PNG', `<image href="data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}"/>`],
    ['data outside of a picture', `<use href="data:image/png;base64,${png().toString('base64')}"/>`],
    ['a huge embedded picture', `<image href="data:image/png;base64,${png(5000, 1).toString('base64')}"/>`],
    ['a shape from elsewhere', '<use href="https://evil.example/a.svg#x"/>'],
    ['a fill from elsewhere', '<rect fill="url(https://evil.example/#x)"/>'],
    ['a style from elsewhere', '<rect style="fill:url( \'//evil.example\' )"/>'],
    ['an import', '<style>@import "https://evil.example/a.css";</style>'],
    ['a font', '<style>@font-face{font-family:x;src:url(https://evil.example)}</style>'],
    ['an escaped import', '<style>\\40 import "https://evil.example";</style>'],
    ['an escaped url', '<rect style="fill:u\\72l(https://evil.example)"/>'],
    ['an image set', '<rect style="mask:image-set(\'https://evil.example\' 1x)"/>'],
    [
      'a url between comments in strings',
      '<style>a{x:"/*";fill:url(https://evil.example);y:"*/"} b{fill:url(//e)}</style>',
    ],
    ['an id by other letters', '<use href="#%61"/>'],
    ['a style sheet that clips', '<clipPath id="c"/><style>*{clip-path:url(#c)}</style>'],
    ['elements that draw themselves', '<g id="a"><use href="#a"/></g>'],
    ['elements that draw each other', '<g id="a" mask="url(#b)"/><mask id="b"><use href="#a"/></mask>'],
    ['too deep a nest', '<g>'.repeat(200) + '</g>'.repeat(200)],
    ['broken markup', '<g>'],
    ['an unknown entity', '<text>&nbsp;</text>'],
    ['an unbound prefix', '<x:g/>'],
  ])('is refused with %s', (_what, content) => {
    expect(() => body(content)).toThrow(/^logo /);
  });

  test('a comment cannot hide a reference: what is checked is what is kept', () => {
    expect(body('<style>a{x:"/*";fill:url(//evil.example);y:"*/"}</style>')).toBe('<style>a{x:" "}</style>');
  });

  test('is refused when references multiply: ten levels of ten draw ten thousand million elements', () => {
    const level = (n: number): string =>
      n === 0 ? '<rect id="l0"/>' : `${level(n - 1)}<g id="l${n}">${`<use href="#l${n - 1}"/>`.repeat(10)}</g>`;
    expect(() => body(level(3))).not.toThrow();
    expect(() => body(level(10))).toThrow('draws too many elements');
  });

  test('is refused with entities of its own, however harmless', () => {
    const bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    expect(() => read(`${bomb}${svg('<text>&b;</text>')}`)).toThrow('DOCTYPE with declarations');
    expect(() => read(`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('')}`)).toThrow(/^logo /);
  });

  test.each(['<html/>', '<svg/>', '<svg xmlns="http://www.w3.org/1999/xhtml"/>', '<?xml version="1.0"?>', '<'])(
    'is not %s',
    (text) => {
      expect(() => read(text)).toThrow(/^logo /);
    },
  );
});
