import { getSystemErrorMap } from 'node:util';
import { isSystemError } from '../../shared/engine/files';
import { CliError } from '../CliError';

/**
 * Returns an operating system error about a path as `unusable_path`, with the path; any other error unchanged.
 * @param done the action that failed, as a participle
 */
export function unusablePath(path: string, done: 'read' | 'written', error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const { code, errno = 0, message } = error;
  const reason = code === 'EISDIR' ? 'it is a folder' : (getSystemErrorMap().get(errno)?.[1] ?? message);
  return new CliError('unusable_path', `${path} cannot be ${done}: ${reason}.`, error);
}
