import { constants } from 'node:crypto';
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions } from 'node:https';
import type { LookupFunction, Socket, TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { CostPause } from '../../shared/engine/fair';
import { BoundedSocket } from './BoundedSocket';
import { AddressNotAllowed, type AddressCheck } from './checkedLookup';

/**
 * Idle connections that this process keeps, to all endpoints together. A company keeps a further one while it has fewer than are free, so
 * there is room for other companies, however many endpoints it has.
 */
const MOST_IDLE = 200;
/** For how long a connection is kept without a request. Most servers close theirs after 5 seconds or more. */
const IDLE_MS = 4_000;

/** Options of the request for which a connection is opened. */
export interface CompanyOption {
  /** The company that the connection is opened for. */
  readonly companyId: number;
  /** Called with what the processing of received bytes took, in milliseconds of a processor. */
  readonly charge: (ms: number) => void;
}

/** Opens the connections for one scheme, kept alive or not. */
interface Agents {
  readonly kept: Agent;
  readonly fresh: Agent;
}

/**
 * Opens connections to addresses that the check allows and to no others, over no proxy. Certificates are verified whatever the process's
 * environment variables are. What a server sends is bounded, and what its processing takes is measured and charged to the company. After
 * costly processing, the next one for that company waits.
 */
export class CheckedAgents {
  /** The companies of idle connections. */
  private readonly idle = new Map<Duplex, number>();
  private readonly companies = new WeakMap<Socket, number>();
  private readonly plain: Agents;
  private readonly tls: Agents;
  private readonly pauses = new CostPause();

  /** @param authorities the certificates, as PEM, of the authorities to trust in place of the usual ones */
  constructor(
    private readonly lookup: (companyId: number) => LookupFunction,
    private readonly isAllowed: AddressCheck,
    authorities?: string,
  ) {
    const kept: AgentOptions = { keepAlive: true, maxFreeSockets: 20, timeout: IDLE_MS };
    const secureContext = createSecureContext({
      ...(authorities === undefined ? {} : { ca: authorities }),
      // A server chooses the size of the numbers of a DHE key exchange, and may ask for any number of handshakes on one connection.
      ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
    const verified = { rejectUnauthorized: true, secureContext };
    this.plain = { kept: this.plainAgent(kept), fresh: this.plainAgent({}) };
    this.tls = { kept: this.tlsAgent({ ...kept, ...verified }), fresh: this.tlsAgent(verified) };
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

  private plainAgent(options: AgentOptions): Agent {
    return this.guard(new Agent(options), 'connect', (_, socket) => socket);
  }

  private tlsAgent(options: TlsAgentOptions): Agent {
    const agent = new TlsAgent(options);
    const secure = agent.createConnection.bind(agent);
    const over = (options: ClientRequestArgs, socket: Socket): Socket =>
      secure({ ...options, socket } as ClientRequestArgs) as Socket;
    return this.guard(agent, 'secureConnect', over);
  }

  /** `ready` is the event after which responses come. `over` adds TLS to a socket that is not connected yet, or returns it as it is. */
  private guard(agent: Agent, ready: string, over: (options: ClientRequestArgs, socket: Socket) => Socket): Agent {
    const { idle, companies } = this;
    agent.createConnection = (options) => {
      const { companyId, charge } = options as unknown as CompanyOption;
      const bounded = new BoundedSocket(options, (work) => this.pauses.run(companyId, work, charge));
      this.check(bounded);
      const socket = over(options, bounded);
      companies.set(socket, companyId);
      // Between the end of a response and `free`, Node.js listens to no errors: one would end the process. The request has the error as well.
      for (const one of new Set([bounded, socket])) one.on('error', () => undefined);
      for (const event of [ready, 'free']) socket.on(event, () => bounded.allowResponse());
      socket.once('close', () => idle.delete(socket));
      bounded.connect({ ...options, lookup: this.lookup(companyId) } as TcpNetConnectOpts);
      return socket;
    };
    const nameOf = agent.getName.bind(agent);
    // A connection and its TLS sessions are used for one company, which pays for what comes over them.
    agent.getName = (options) => `${(options as unknown as CompanyOption).companyId}:${nameOf(options)}`;
    const keep = agent.keepSocketAlive.bind(agent) as unknown as (socket: Socket) => boolean;
    agent.keepSocketAlive = (socket: Socket) => {
      const companyId = companies.get(socket) ?? 0;
      const own = [...idle.values()].filter((one) => one === companyId).length;
      if (own >= MOST_IDLE - idle.size || !keep(socket)) return false;
      idle.set(socket, companyId);
      // Each byte would begin the time of an idle connection anew.
      socket.on('data', end);
      return true;
    };
    const reuse = agent.reuseSocket.bind(agent);
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      socket.off('data', end);
      reuse(socket, request);
    };
    return agent;
  }

  /** Ends a connection to another address than the look-up has returned before anything is sent over it. */
  private check(socket: Socket): void {
    socket.once('connect', () => {
      const { remoteAddress = '' } = socket;
      if (!this.isAllowed(remoteAddress)) socket.destroy(new AddressNotAllowed(remoteAddress));
    });
  }
}

function end(this: Duplex): void {
  this.destroy();
}
