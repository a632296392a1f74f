import type { Config } from '../../config/env';
import { buildInvoiceDocument } from '../../shared/documents';
import { broken, type Check, type Finding, ok, reasonOf, warning } from '../../shared/engine/checks';
import { RenderFailed } from '../../shared/engine/errors';
import { createLogger } from '../../shared/engine/log';
import { createPdfRenderer, type PdfRendererOptions } from '../pdf/PdfRenderer';
import { sampleInvoice } from './sampleInvoice';

/** Starts Chromium as a worker does, and prints an invoice of one line. */
export function browserCheck({ chrome, environment }: Config): Check {
  const options = { chromePath: chrome.path, allowNoSandbox: chrome.allowNoSandbox, environment, concurrency: 1 };
  return {
    name: 'Chromium: print',
    variables: ['NODE_ENV', 'CHROME_PATH', 'CHROME_ALLOW_NO_SANDBOX'],
    run: () => checkBrowser(options),
  };
}

async function checkBrowser(options: PdfRendererOptions): Promise<Finding> {
  const warnings: string[] = [];
  const log = createLogger('warn', 'doctor', { destination: { write: (line) => warnings.push(messageOf(line)) } });
  const renderer = createPdfRenderer(options, log);
  try {
    const pdf = await renderer.render(buildInvoiceDocument(sampleInvoice), null);
    if (warnings.length > 0) return warning(warnings.join('. '), remedies.unsafe);
    return ok(`an invoice was printed (${pdf.length} bytes)`);
  } catch (error) {
    if (!(error instanceof RenderFailed)) throw error;
    return broken(reasonOf(error), options.chromePath === '' ? remedies.bundled : remedies.own);
  } finally {
    await renderer.close();
  }
}

const remedies = {
  own: 'Let CHROME_PATH name a Chrome or Chromium binary, or leave it empty for that of the npm packages.',
  bundled: 'See docs/install.md#chromium: TMPDIR must have 200 MB and allow programs, production needs the sandbox.',
  unsafe: 'Allow user namespaces; in a container by the seccomp profile ops/chromium-seccomp.json.',
};

const messageOf = (line: string): string => (JSON.parse(line) as { msg: string }).msg;
