import type { FilesConfig } from '../../../config/files';
import type { FileStore } from './FileStore';
import { LocalFileStore } from './LocalFileStore';
import { S3FileStore } from './S3FileStore';

/** Returns the configured store. Connects and loads nothing before the first call. */
export function openFileStore(config: FilesConfig): FileStore {
  return config.store === 's3' ? new S3FileStore(config) : new LocalFileStore(config.dir);
}
