import type { FileStore } from '../files/FileStore';
import type { Logo } from './invoiceHtml';

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
};

/** The stored logo, with the type that its key's ending says; null where the file is gone. */
export async function logoOf(files: FileStore, logoKey: string): Promise<Logo | null> {
  const contentType = contentTypes[logoKey.slice(logoKey.lastIndexOf('.') + 1)];
  const bytes = await files.get(logoKey);
  return bytes === null || contentType === undefined ? null : { contentType, bytes };
}
