/** An error of the operating system: a full or read-only disk, no free file handle, a folder that does not exist. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as Partial<NodeJS.ErrnoException> | null)?.syscall === 'string';
}
