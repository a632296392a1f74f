import type { HttpCall, HttpReply } from '../../installation/HttpClient';
import type { World } from '../World';

/** Something that a caller wants done once. */
export interface Operation {
  readonly call: HttpCall;
  /** Whether this response is what the caller waits for; a 202 always is. */
  isRight(reply: HttpReply): boolean;
  /** How often the effect is there now, seen from outside. */
  count(reply: HttpReply | null): Promise<number>;
}

/** Makes operations of one kind, each with a subject of its own. */
export interface OperationKind {
  readonly name: string;
  make(world: World): Promise<Operation>;
}
