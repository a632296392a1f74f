import { Agent, type AgentOptions } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { AddressNotAllowed, type AddressCheck } from './checkedLookup';

/** Idle connections that this process keeps, to all endpoints together. */
const MOST_IDLE = 200;
/** For how long a connection is kept without a request. Most servers close theirs after 5 seconds or more. */
const IDLE_MS = 4_000;

/** Opens the connections for one scheme, kept alive or not. */
interface Agents {
  readonly kept: Agent;
  readonly fresh: Agent;
}

/**
 * Opens connections to addresses that the check allows and to no others, over no proxy. Certificates are verified whatever the process's
 * environment variables are.
 */
export class CheckedAgents {
  private readonly idle = new Set<object>();
  private readonly plain: Agents;
  private readonly tls: Agents;

  constructor(
    lookup: LookupFunction,
    private readonly isAllowed: AddressCheck,
  ) {
    const kept: AgentOptions = { keepAlive: true, maxFreeSockets: 20, timeout: IDLE_MS, lookup };
    const verified = { rejectUnauthorized: true };
    this.plain = { kept: this.guard(new Agent(kept)), fresh: this.guard(new Agent({ lookup })) };
    this.tls = {
      kept: this.guard(new TlsAgent({ ...kept, ...verified })),
      fresh: this.guard(new TlsAgent({ lookup, ...verified })),
    };
  }

  /** Returns the agent of a scheme; `isFresh`: its connections are used for one request. */
  of(protocol: string, isFresh: boolean): Agent {
    const agents = protocol === 'https:' ? this.tls : this.plain;
    return isFresh ? agents.fresh : agents.kept;
  }

  close(): void {
    for (const { kept, fresh } of [this.plain, this.tls]) {
      kept.destroy();
      fresh.destroy();
    }
  }

  private guard<A extends Agent>(agent: A): A {
    const { idle } = this;
    const open = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => this.checked(open(options, callback) as Socket);
    const keep = agent.keepSocketAlive.bind(agent) as unknown as (socket: object) => boolean;
    agent.keepSocketAlive = (socket: object) => {
      if (idle.size >= MOST_IDLE || !keep(socket)) return false;
      idle.add(socket);
      return true;
    };
    const reuse = agent.reuseSocket.bind(agent);
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      reuse(socket, request);
    };
    return agent;
  }

  /** Ends a connection to another address than the look-up has returned before anything is sent over it. */
  private checked(socket: Socket): Socket {
    socket.prependOnceListener('connect', () => {
      const { remoteAddress = '' } = socket;
      if (!this.isAllowed(remoteAddress)) socket.destroy(new AddressNotAllowed(remoteAddress));
    });
    socket.once('close', () => this.idle.delete(socket));
    return socket;
  }
}
