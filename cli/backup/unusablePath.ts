import { getSystemErrorMap } from 'node:util';
import { isSystemError } from '../../shared/engine/files';
import { CliError } from '../CliError';

/**
 * Returns what the operating system says about a path as `unusable_path`, which names the path; another error as it is.
 * @param done what could not be done with the path
 */
export function unusablePath(path: string, done: 'read' | 'written', error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const { code, errno = 0, message } = error;
  const reason = code === 'EISDIR' ? 'it is a folder' : (getSystemErrorMap().get(errno)?.[1] ?? message);
  return new CliError('unusable_path', `${path} cannot be ${done}: ${reason}.`, error);
}
