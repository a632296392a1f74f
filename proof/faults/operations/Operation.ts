import type { HttpCall, HttpReply } from '../../installation/HttpClient';
import type { World } from '../World';

/** A request whose effect must happen exactly once. */
export interface Operation {
  readonly call: HttpCall;
  /** Tests for the expected response. A 202 is always accepted. */
  isRight(reply: HttpReply): boolean;
  /** Counts the effects from outside the service. */
  count(reply: HttpReply | null): Promise<number>;
  /** True if the response does not wait for the effect. */
  readonly isFollowed?: boolean;
}

/** Makes operations of one kind, each with a subject of its own. */
export interface OperationKind {
  readonly name: string;
  make(world: World): Promise<Operation>;
}
