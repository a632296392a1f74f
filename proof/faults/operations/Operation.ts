import type { HttpCall, HttpReply } from '../../installation/HttpClient';
import type { World } from '../World';

/** A request whose effect must happen exactly once. */
export interface Operation {
  readonly call: HttpCall;
  /** Tests for the response that the caller waits for. A 202 always is one. */
  isRight(reply: HttpReply): boolean;
  /** Counts the effects from outside the service. */
  count(reply: HttpReply | null): Promise<number>;
  /** The effect comes soon after the response, which does not wait for it. */
  readonly isFollowed?: boolean;
}

/** Makes operations of one kind, each with a subject of its own. */
export interface OperationKind {
  readonly name: string;
  make(world: World): Promise<Operation>;
}
