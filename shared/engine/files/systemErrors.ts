/** Tests for an error of the operating system: a full or read-only disk, no free file handle, a missing folder. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as Partial<NodeJS.ErrnoException> | null)?.syscall === 'string';
}
