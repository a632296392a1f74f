import { crc32 } from 'node:zlib';
import { png } from '../../../dev/png';
import { fileBody } from '../../installation/HttpClient';
import type { Attack } from '../Attack';
import { flood } from '../attacker/tools';
import { svg } from './pdfs';

const bytes = 240_000;
const fill = (text: string): string => text.repeat(Math.floor(bytes / text.length));

/** Each text makes a backtracking pattern take quadratic time. */
const logos = [
  svg(`<path d="${fill('a')}"/>`),
  svg(`<path d="M0 0${fill(' ')}x"/>`),
  svg(`<rect width="9" height="9" style="${fill('/*a')}"/>`),
  svg(`<style>${fill('/*a/*a')}</style><rect width="9" height="9"/>`),
  svg(`<rect width="9" height="9" fill="url(${fill(' ')}"/>`),
  svg(`<rect width="9" height="9" transform="${fill('1 ')}"/>`),
];

/** Bodies that take long to check. */
export const bodies: readonly Attack[] = [
  flood({
    name: 'empty-items',
    what: '1 MiB of {"items":[{},{},…]} to POST /api/invoices, 4 connections',
    connections: 4,
    calls: () => {
      const body = Buffer.from(`{"items":[${Array.from({ length: 349_000 }, () => '{}').join(',')}]}`);
      const headers = { 'Content-Type': 'application/json' };
      return () => ({ path: '/api/invoices', method: 'POST', headers, body });
    },
  }),
  flood({
    name: 'unknown-fields',
    what: 'a body of 90,000 unknown fields to POST /api/invoices, 4 connections',
    connections: 4,
    calls: () => {
      const body = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`f${index}`, 0]));
      return () => ({ path: '/api/invoices', method: 'POST', body });
    },
  }),
  flood({
    name: 'deep-nesting',
    what: 'a body of 500,000 arrays in each other, under an idempotency key, 4 connections',
    connections: 4,
    calls: () => {
      const body = Buffer.from(`{"notes":${'['.repeat(500_000)}${']'.repeat(500_000)}}`);
      return (turn) => {
        const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `deep-${process.pid}-${turn}` };
        return { path: '/api/invoices', method: 'POST', headers, body };
      };
    },
  }),
  flood({
    name: 'long-locale',
    what: 'a locale of 280 kB to PUT /api/company, 4 connections',
    connections: 4,
    calls: () => {
      const locales = [`en${'-abcdefgh'.repeat(31_000)}`, `en-${'a'.repeat(280_000)}`, `${'a-'.repeat(140_000)}`];
      return (turn) => ({ path: '/api/company', method: 'PUT', body: { locale: locales[turn % locales.length] } });
    },
  }),
  flood({
    name: 'svg-text',
    what: 'SVG logos of 240 kB: letters as a path, runs of spaces, comments that never end; 4 connections',
    connections: 4,
    calls: async () => {
      const uploads = await Promise.all(
        logos.map((logo) => fileBody('logo', Buffer.from(logo), 'logo.svg', 'image/svg+xml')),
      );
      return (turn) => ({ path: '/api/company/logo', method: 'PUT', ...uploads[turn % uploads.length] });
    },
  }),
  flood({
    name: 'large-logos',
    what: 'PNG logos of 3,000 × 3,000 pixels, 8 connections',
    connections: 8,
    calls: async () => {
      const upload = await fileBody('logo', png(3_000, 3_000), 'logo.png', 'image/png');
      return () => ({ path: '/api/company/logo', method: 'PUT', ...upload });
    },
  }),
  flood({
    name: 'receipt-fill-bytes',
    what: 'receipts: 10 MiB of a JPEG that are all fill bytes, 4 connections',
    connections: 4,
    calls: async () => {
      const content = Buffer.alloc(10 * 1024 * 1024, 0xff);
      content.set([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]);
      const upload = await fileBody('file', content, 'receipt.jpg', 'image/jpeg');
      return () => ({ path: '/api/receipts', method: 'POST', ...upload });
    },
  }),
  flood({
    name: 'receipt-parts',
    what: 'receipts: a PNG of 2,990 empty chunks, 16 connections',
    connections: 16,
    calls: async () => {
      const [picture, chunk] = [png(2, 2), Buffer.alloc(12)];
      chunk.write('tEXt', 4);
      chunk.writeUInt32BE(crc32('tEXt'), 8);
      // After the signature and the header.
      const content = [picture.subarray(0, 33), Buffer.alloc(2_990 * chunk.length, chunk), picture.subarray(33)];
      const upload = await fileBody('file', Buffer.concat(content), 'receipt.png', 'image/png');
      return () => ({ path: '/api/receipts', method: 'POST', ...upload });
    },
  }),
  flood({
    name: 'short-rows',
    what: 'imports of 49,000 rows of one letter, and a broken one at the end, 64 connections',
    connections: 64,
    calls: async () => {
      const file = Buffer.from(`name,email,phone,address\n${'a\n'.repeat(49_000)}"`);
      const upload = await fileBody('file', file, 'clients.csv', 'text/csv', { type: 'clients' });
      return () => ({ path: '/api/imports', method: 'POST', ...upload });
    },
  }),
  flood({
    name: 'refused-uploads',
    what: 'uploads without a file, 64 connections',
    connections: 64,
    calls: () => {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
      const body = Buffer.from('--x--\r\n');
      return () => ({ path: '/api/receipts', method: 'POST', headers, body });
    },
  }),
];
