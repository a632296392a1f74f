/** The file store, a folder or a bucket, with a check that all processes use the same one. */
export { type FileStore, type OpenFile, UNFINISHED } from './FileStore';
export { guardedStore } from './guardedStore';
export { openFileStore } from './openFileStore';
export { removeStoredFiles } from './removeStoredFiles';
export { StoreCheck } from './StoreCheck';
export { adoptStore, checkStoreIdentity, confirmStore, MARKER, namedStore } from './storeIdentity';
export { isSystemError } from './systemErrors';
export type { Upload } from './Upload';
