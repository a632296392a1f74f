import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { projectRoot } from '../../../../config/paths';
import { drawLogo, drawTimes } from '../../../../shared/companies/logo/drawLogo';
import { descendants } from '../../../workers/pdf/processes';
import { drawProcesses, photo, pixelAt, slowDrawing } from '../../../support/drawings';
import { eventually } from '../../../support/eventually';
import { jpeg, png, svg } from '../../../support/images';

const draw = (content: string): Promise<Buffer> => drawLogo(Buffer.from(content));
const red = [255, 0, 0, 255];
const clear = [0, 0, 0, 0];

// However slow the machine is.
beforeEach(() => void jest.replaceProperty(drawTimes, 'deadlineMs', 60_000));
afterEach(() => {
  expect(drawProcesses()).toEqual([]);
});

describe('a raster logo', () => {
  test('becomes a PNG of 8-bit sRGB without metadata, turned as its EXIF says', async () => {
    const drawn = await drawLogo(await photo(30, 20, 6));
    const { format, width, height, space, depth, exif } = await sharp(drawn).metadata();
    expect({ format, width, height, space, depth, exif }).toEqual({
      format: 'png',
      width: 20,
      height: 30,
      space: 'srgb',
      depth: 'uchar',
      exif: undefined,
    });
  });

  test('keeps its pixels where it is small, and fits into 1680 × 528 pixels where it is large', async () => {
    expect(await sharp(await drawLogo(png(3, 2))).metadata()).toMatchObject({ width: 3, height: 2 });
    expect(await sharp(await drawLogo(await photo(4096, 4096))).metadata()).toMatchObject({ width: 528, height: 528 });
    expect(await sharp(await drawLogo(png(4096, 1))).metadata()).toMatchObject({ width: 1680, height: 1 });
  });

  test('of colours for print is shown in colours for screens', async () => {
    const cmyk = await sharp(await photo(9, 9))
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer();
    expect(await sharp(cmyk).metadata()).toMatchObject({ space: 'cmyk' });
    expect(await sharp(await drawLogo(cmyk)).metadata()).toMatchObject({ space: 'srgb' });
  });

  test.each([
    ['pure noise', 1700, 530, 420],
    ['less noise than that', 1680, 240, 840],
  ])('of %s is at most 512 KiB', async (_what, width, height, drawnWidth) => {
    const noise = await sharp(randomBytes(width * height * 4), { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();
    const drawn = await drawLogo(noise);
    expect(drawn.length).toBeLessThanOrEqual(512 * 1024);
    expect((await sharp(drawn).metadata()).width).toBeLessThanOrEqual(drawnWidth);
    expect((await sharp(drawn).metadata()).width).toBeGreaterThan(drawnWidth - 10);
  });

  test('ends where its PNG ends: what was appended is not kept', async () => {
    const drawn = await drawLogo(Buffer.concat([png(), Buffer.from('<script>alert(1)</script>')]));
    expect(drawn.includes('script')).toBe(false);
  });

  test('is refused with more than 4096 pixels a side', async () => {
    for (const large of [png(4097, 1), png(1, 4097), await photo(4097, 1)]) {
      await expect(drawLogo(large)).rejects.toThrow('must have 1 to 4096 pixels a side');
    }
  });

  test('is refused when it is damaged', async () => {
    const flipped = png();
    flipped[flipped.length - 14] = (flipped[flipped.length - 14] ?? 0) ^ 1;
    const whole = await photo(500, 500);
    for (const damaged of [png().subarray(0, 40), png().subarray(0, 8), flipped, whole.subarray(0, 900), jpeg()]) {
      await expect(drawLogo(damaged)).rejects.toThrow(
        /^logo (is|must be a PNG, JPEG or SVG image that is not) damaged/,
      );
    }
  });

  test('is nothing else that begins like a file', async () => {
    const others = ['GIF89a', '%PDF-1.7', 'hello', '', '\x00\xff\xfe', '{"a":1}', 'RIFF____WEBPVP8 '];
    await Promise.all(
      others.map((text) =>
        expect(drawLogo(Buffer.from(text, 'latin1'))).rejects.toThrow('must be a PNG, JPEG or SVG image'),
      ),
    );
  });

  test('is no WebP, GIF or TIFF, real ones neither: their decoders are switched off', async () => {
    for (const format of ['webp', 'gif', 'tiff'] as const) {
      const image = await sharp(png(9, 9)).toFormat(format).toBuffer();
      await expect(drawLogo(image)).rejects.toThrow('must be a PNG, JPEG or SVG image');
    }
  });
});

describe('an SVG logo', () => {
  test.each([
    ['small', 'width="1" height="0.5"'],
    ['huge', 'width="100000" height="50000"'],
    ['in millimetres', 'width="10mm" height="5mm"'],
    ['in percent', 'width="100%" height="100%"'],
    ['not there', ''],
  ])('is drawn as large as 1680 × 528 pixels allow when its size is %s', async (_what, size) => {
    const drawn = await draw(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" ${size}><rect width="50" height="50" fill="red"/></svg>`,
    );
    const { width, height } = await sharp(drawn).metadata();
    expect(Math.abs(width - 1056)).toBeLessThanOrEqual(1);
    expect(height).toBe(528);
    expect(await pixelAt(drawn, 49, 50)).toEqual(red);
    expect(await pixelAt(drawn, 51, 50)).toEqual(clear);
  });

  test('shows gradients, clips, masks, patterns, styles, references and embedded pictures', async () => {
    const data = `data:image/png;base64,${(
      await sharp(await photo(2, 2))
        .png()
        .toBuffer()
    ).toString('base64')}`;
    const drawn = await draw(
      svg(
        `<defs><linearGradient id="g"><stop stop-color="red"/></linearGradient><clipPath id="c"><rect width="5" height="5"/></clipPath>
           <mask id="m"><rect y="5" width="5" height="5" fill="#fff"/></mask><rect id="r" width="10" height="10" fill="url(#g)"/></defs>
         <style>.a{fill:#00f}</style><use xlink:href="#r" clip-path="url(#c)"/><rect class="a" width="10" height="10" mask="url(#m)"/>
         <image href="${data}" x="5" y="5" width="5" height="5"/>`,
      ),
    );
    expect(await pixelAt(drawn, 25, 25)).toEqual(red);
    expect(await pixelAt(drawn, 75, 25)).toEqual(clear);
    expect(await pixelAt(drawn, 25, 75)).toEqual([0, 0, 255, 255]);
    const [r = 0, g = 0, b = 0] = await pixelAt(drawn, 75, 75);
    expect(b).toBeGreaterThan(Math.max(r, g) + 50);
  });

  test('shows text in fonts of the service: on a machine without fonts, and as wide as in Arial', async () => {
    const text = (content: string): Promise<Buffer> =>
      draw(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20"><rect width="100" height="20" fill="#fff"/>
         <text y="15" font-family="Arial" font-size="10">${content}</text></svg>`,
      );
    const [boxes, letters, same] = [await text('漢漢'), await text('Il'), await text('Il')];
    expect(letters).toEqual(same);
    const ink = async (image: Buffer): Promise<number> =>
      (await sharp(image).removeAlpha().greyscale().trim({ background: '#fff' }).toBuffer({ resolveWithObject: true }))
        .info.width;
    // "I" is 0.278 em wide in Arial and has its stroke in the middle; "l" 0.222 em. Boxes with digits are wider.
    expect((await ink(letters)) / 16.8).toBeCloseTo(3.8, 0);
    expect((await ink(boxes)) / 16.8).toBeGreaterThan(10);
  });

  test.each([
    ['a picture of a file', '<image href="file:///SELF" width="10" height="10"/>'],
    ['a picture by path', '<image xlink:href="/SELF" width="10" height="10"/>'],
    ['a picture of an address', '<image href="URL/a.png" width="10" height="10"/>'],
    ['a shape of an address', '<use href="URL/a.svg#x"/>'],
    ['an import', '<style>@import url("URL/a.css");</style>'],
    ['a font', '<style>@font-face{font-family:x;src:url(URL/f)}</style>'],
    ['an include', '<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'],
    ['an SVG in it that does', '<image href="NESTED" width="10" height="10"/>'],
    ['a script', '<script>fetch("URL")</script>'],
    [
      'foreign content',
      '<foreignObject width="10" height="10"><img xmlns="http://www.w3.org/1999/xhtml" src="URL"/></foreignObject>',
    ],
  ])('reaches nothing by %s', async (_what, template) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const nested = svg(`<image href="${url}/n.png" width="10" height="10"/>`);
    const content = template
      .replaceAll('URL', url)
      .replaceAll('SELF', `${__dirname}/../../../../docs/images/invoice.png`)
      .replaceAll('NESTED', `data:image/svg+xml;base64,${Buffer.from(nested).toString('base64')}`);
    expect(await pixelAt(await draw(svg(`${content}<rect width="5" height="5" fill="red"/>`)), 75, 75)).toEqual(clear);
    server.close();
    expect(connections).toBe(0);
  });

  test('is refused with entities of files or without end', async () => {
    const levels = Array.from({ length: 11 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('');
    await expect(draw(`<!DOCTYPE svg [<!ENTITY a0 "aaaa">${levels}]>${svg('<text>&a11;</text>')}`)).rejects.toThrow(
      'damaged',
    );
    await expect(
      draw(`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`),
    ).rejects.toThrow(/^logo /);
  });

  test('is no other XML, and none that is cut off', async () => {
    const others = ['<html/>', '<svg/>', '<svg xmlns="http://www.w3.org/1999/xhtml"/>', '<?xml version="1.0"?>', '<'];
    await Promise.all([...others, svg('<g>')].map((text) => expect(draw(text)).rejects.toThrow(/^logo /)));
  });

  test('is refused when it shows nothing', async () => {
    await expect(draw(svg('<rect width="5" height="5" fill="none"/>'))).rejects.toThrow('shows nothing');
  });
});

describe('a drawing that takes too much', () => {
  test.each([
    ['a path of letters', svg(`<path d="${'a'.repeat(240_000)}"/><rect width="5" height="5"/>`)],
    ['a run of spaces', svg(`<rect style="fill:${' '.repeat(240_000)}red" width="5" height="5"/>`)],
    ['comments that begin again and again', svg(`<style>${'/*a'.repeat(80_000)}</style><rect width="5" height="5"/>`)],
    [
      '24 nested rules',
      svg(`<style><![CDATA[a{${'& &{'.repeat(24)}x:y${'}'.repeat(25)}]]></style><rect width="5" height="5"/>`),
    ],
    ['dashes without number', svg('<path stroke="red" stroke-dasharray="0.00001" d="M0 0H10V10H0z"/>')],
  ])('is none with %s: it is drawn like any other', async (_what, content) => {
    expect(await sharp(await draw(content)).metadata()).toMatchObject({ format: 'png' });
  });

  test('of time › is ended and refused', async () => {
    // The system ends whatever takes so long: one kind of drawing is enough.
    await expect(draw(slowDrawing)).rejects.toThrow('logo takes too long to draw; export it as a PNG');
  });

  test('of memory, with a picture of 12,000 × 12,000 pixels in it › is ended and refused', async () => {
    const bomb = png(12_000, 12_000);
    const image = `<image width="10" height="10" href="data:image/png;base64,${bomb.toString('base64')}"/>`;
    await expect(draw(svg(image))).rejects.toMatchObject({
      status: 400,
      message: 'logo needs too much memory to draw; export it as a smaller PNG',
    });
  });
});

describe('the process that draws', () => {
  test('has no environment, writes no files, and has limits of time and memory', async () => {
    const drawn = draw(slowDrawing).catch(String);
    // The shell that sets the limits becomes Node.js.
    const { pid } = await eventually(() =>
      descendants(process.pid).find(
        ({ command }) => command.startsWith(process.execPath) && command.includes('drawProcess'),
      ),
    );
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toMatch(/^FONTCONFIG_FILE=[^\0]*\0(PWD=[^\0]*\0)?$/);
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    expect(limits).toMatch(/Max cpu time +2 +3 /);
    expect(limits).toMatch(/Max data size +402653184 +402653184 /);
    expect(limits).toMatch(/Max file size +0 +0 /);
    process.kill(pid, 'SIGKILL');
    await drawn;
  });

  test('that is late › is killed, and a retry may help', async () => {
    jest.replaceProperty(drawTimes, 'deadlineMs', 1);
    await expect(drawLogo(png())).rejects.toMatchObject({ status: 503, code: 'overloaded', retryable: true });
  });

  test('that cannot be run › is 503, not the fault of the logo', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    await expect(drawLogo(png())).rejects.toMatchObject({ status: 503, retryable: true });
    process.execPath = execPath;
  });

  test('that cannot be run because all file descriptors are used › is 503, and ends no process', () => {
    const program = `
      const { openSync } = require('node:fs');
      const { drawLogo } = require('${join(projectRoot, 'dist/shared/companies/logo/drawLogo')}');
      process.stdout.write('starts ');
      try { for (;;) openSync('/dev/null'); } catch (error) { if (error.code !== 'EMFILE') throw error; }
      drawLogo(Buffer.from('x')).catch((error) => process.stdout.write(error.code + ' ' + error.cause.code));`;
    const command = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '-e', program];
    expect(execFileSync('/bin/sh', command, { encoding: 'utf8' })).toBe('starts service_unavailable EMFILE');
  });
});
