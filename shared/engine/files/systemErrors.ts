/** Tests for an error of the operating system, such as a full or read-only disk. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as Partial<NodeJS.ErrnoException> | null)?.syscall === 'string';
}
