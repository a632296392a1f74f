import type { ControllerHandlerReturnType, HTTPStatus } from '@bull-board/api/typings/app';
import { toDatabaseUnavailable } from '../../shared/engine/db';
import { AppError } from '../../shared/engine/errors';
import { RefusedByBoard } from './RefusedByBoard';

/** Returns the board's response to an error: the message of a named error. Other errors are only in the log of the process. */
export function boardError(error: Error): ControllerHandlerReturnType {
  const named = toDatabaseUnavailable(error) ?? error;
  const isNamed = named instanceof AppError || named instanceof RefusedByBoard;
  return {
    // The type lists only what bull-board itself responds with.
    status: (isNamed ? named.status : 500) as HTTPStatus,
    body: {
      error: { key: named instanceof RefusedByBoard ? 'ERRORS.FORBIDDEN' : 'ERRORS.INTERNAL_SERVER_ERROR' },
      message: isNamed ? named.message : 'see the log of this process',
    },
  };
}
