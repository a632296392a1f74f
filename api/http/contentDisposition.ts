import { contentFileName } from '../../shared/documents';

/**
 * `attachment` (or `inline`) with a plain ASCII file name and, where that loses something, the exact one as `filename*` (RFC 6266, 4.3
 * and appendix D; RFC 8187).
 */
export function contentDisposition(fileName: string, type: 'attachment' | 'inline' = 'attachment'): string {
  const safe = contentFileName(fileName);
  const ascii = safe
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_')
    .replaceAll('%', '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === safe ? plain : `${plain}; filename*=UTF-8''${encode(safe)}`;
}

/** Percent-encodes all but the attr-char of RFC 8187. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
