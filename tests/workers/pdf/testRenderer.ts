import { createLogger } from '../../../shared/engine/log/log';
import { createPdfRenderer, type PdfRenderer, type PdfRendererOptions } from '../../../workers/pdf/PdfRenderer';

/** A renderer of one page as tests need it; the given options are put over it. */
export function testRenderer(options: Partial<PdfRendererOptions> = {}): PdfRenderer {
  return createPdfRenderer(
    { chromePath: '', allowNoSandbox: true, environment: 'test', concurrency: 1, ...options },
    createLogger('silent', 'test'),
  );
}
