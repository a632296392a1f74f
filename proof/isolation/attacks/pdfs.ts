import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { png } from '../../../dev/png';
import { fileBody, jsonOf, newInvoice } from '../../installation/HttpClient';
import type { Attack, Attacker } from '../Attack';
import { rawSocket, repeat, requestHead, untilAborted } from '../attacker/tools';

/** Requests PDFs of invoices that were never printed before. */
function printFreshInvoices(
  attacker: Attacker,
  connections: number,
  signal: AbortSignal,
  changes: (turn: number) => object = () => ({}),
): Promise<void> {
  return repeat(attacker, connections, signal, async (turn) => {
    const body = newInvoice(attacker.company.clientId, changes(turn));
    const created = await attacker.send({ path: '/api/invoices', method: 'POST', body });
    if (created.status !== 201) return;
    await attacker.send({ path: `/api/invoices/${jsonOf<{ id: number }>(created).id}/pdf` });
  });
}

/** Uploads the logo and, if the API accepts it, prints fresh invoices with it. */
const withLogo = (name: string, what: string, logo: () => string | Buffer): Attack => ({
  name,
  what: `PDFs with a logo of ${what}, 4 connections`,
  run: async (attacker, signal) => {
    const image = logo();
    const [content, type] = typeof image === 'string' ? [Buffer.from(svg(image)), 'svg+xml'] : [image, 'png'];
    const upload = await fileBody('logo', content, 'logo', `image/${type}`);
    await attacker.send({ path: '/api/company/logo', method: 'PUT', ...upload });
    await printFreshInvoices(attacker, 4, signal);
  },
});

const longItems = Array.from({ length: 1_000 }, (_, index) => ({
  description: Array.from({ length: 20 }, (_line, line) => `line ${line} of ${index}`).join('\n'),
  ...{ quantity: '1.00', unitPrice: '1.00' },
}));
/** Too few lines for a long print, but with thousands of Chinese signs. */
const signsOf = (turn: number): object[] =>
  Array.from({ length: 7 }, (_, index) => {
    const first = 0x4e00 + (turn % 9) * 1_000 + index * 500;
    const signs = Array.from({ length: 500 }, (_sign, at) => first + at);
    return { description: String.fromCodePoint(...signs), quantity: '1', unitPrice: '1.00' };
  });

/** A black flag, two of the tags that would name a region, and their end, without one. A page of them takes seconds to shape. */
const flags = String.fromCodePoint(...Array.from({ length: 125 }, () => [0x1f3f4, 0xe0067, 0xe0062, 0xe007f]).flat());

/** PDFs that take long to print. */
export const pdfs: readonly Attack[] = [
  withLogo('pdf-nested-rules', '24 CSS rules in each other, `& &`', () => {
    const rules = `${'& & {'.repeat(24)} fill: red ${'}'.repeat(24)}`;
    const groups = `${'<g>'.repeat(30)}<rect width="9" height="9"/>${'</g>'.repeat(30)}`;
    return `<style><![CDATA[g { ${rules} }]]></style>${groups}`;
  }),
  withLogo('pdf-dashes', 'lines of 10^9 dashes', () => {
    const stroke = 'stroke="red" stroke-width="0.01" stroke-dasharray="0.001 0.001"';
    return Array.from({ length: 200 }, (_, y) => `<path d="M0 ${y} L1000000 ${y}" ${stroke}/>`).join('');
  }),
  withLogo('pdf-masks', '1,000 shapes through 40 masks of masks', () => {
    const depth = 40;
    const chain = Array.from({ length: depth }, (_, index) => {
      const inner = index === 0 ? '' : ` mask="url(#m${index - 1})"`;
      return `<mask id="m${index}"><rect width="100" height="100" fill="white"${inner}/></mask>`;
    });
    const shape = `<rect width="100" height="100" mask="url(#m${depth - 1})"/>`;
    return `<defs>${chain.join('')}</defs>${shape.repeat(1_000)}`;
  }),
  withLogo('pdf-selectors', '100,000 selectors', () => {
    const selectors = Array.from({ length: 100_000 }, (_, index) => `g:not(#a${index})`).join(' ');
    const rules = selectors.slice(0, 900_000).replace(/ [^ ]*$/, '');
    return `<style>${rules.replaceAll(' ', ',')} { fill: red }</style>${'<g/>'.repeat(2_000)}`;
  }),
  withLogo('pdf-image-bomb', 'a PNG of 12,000 × 12,000 pixels in less than 1 MiB', () => png(12_000, 12_000)),
  {
    name: 'pdf-long',
    what: 'PDFs of 1,000 items with 20 lines each, 4 connections',
    run: (attacker, signal) => printFreshInvoices(attacker, 4, signal, () => ({ items: longItems })),
  },
  {
    name: 'pdf-both-queues',
    what: 'PDFs of 1,000 items with 20 lines each, and of 7 items with 3,500 Chinese signs, 3 connections each',
    run: async (attacker, signal) => {
      await Promise.all([
        printFreshInvoices(attacker, 3, signal, () => ({ items: longItems })),
        printFreshInvoices(attacker, 3, signal, (turn) => ({ items: signsOf(turn) })),
      ]);
    },
  },
  {
    name: 'pdf-tagged-flags',
    what: 'PDFs of 7 items of 500 signs that choose the look of flags, which no font has, 4 connections',
    run: (attacker, signal) =>
      printFreshInvoices(attacker, 4, signal, () => ({
        items: Array.from({ length: 7 }, () => ({ description: flags, quantity: '1', unitPrice: '1.00' })),
      })),
  },
  waitingForOne('waiting-for-one-pdf', 'long', longItems),
  waitingForOne('waiting-for-a-small-pdf', 'short', [{ description: 'Work', quantity: '1', unitPrice: '1.00' }]),
  {
    name: 'pdf-flood',
    what: 'PDFs of new invoices, 32 connections',
    run: (attacker, signal) => printFreshInvoices(attacker, 32, signal),
  },
];

/** Requests for the PDF of an invoice, which wait behind those of long ones. */
function waitingForOne(name: string, what: string, items: object): Attack {
  return {
    name,
    what: `requests for the PDF of one ${what} invoice behind 39 long ones, 4,000 connections (with --quick 1,000)`,
    prepare: (ground) => ground.newCompany(40, (index) => ({ items: index === 0 ? items : longItems })),
    run: async (attacker, signal) => {
      const [target = 0, ...others] = attacker.company.invoiceIds;
      const open = (id: number): Socket => rawSocket(attacker, requestHead(attacker, `GET /api/invoices/${id}/pdf`));
      const sockets = others.map(open);
      await sleep(300);
      for (let count = attacker.quick ? 1_000 : 4_000; count > 0 && !signal.aborted; count -= 40) {
        for (let each = 0; each < 40; each++) sockets.push(open(target));
        await sleep(10);
      }
      await untilAborted(signal);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A logo with this content. */
export function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 100 100">${content}</svg>`;
}
