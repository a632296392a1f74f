import { constants } from 'node:crypto';
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions } from 'node:https';
import { connect, type LookupFunction, type NetConnectOpts, type Socket } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls';
import { CostPause } from '../../shared/engine/fair';
import { BoundedSocket } from './BoundedSocket';
import { AddressNotAllowed, type AddressCheck } from './checkedLookup';
import { readRarely } from './readRarely';

/** Idle connections that this process keeps, to all endpoints together. */
const MOST_IDLE = 200;
/** For how long a connection is kept without a request. Most servers close theirs after 5 seconds or more. */
const IDLE_MS = 4_000;

/** The company that a connection is opened for is an option of the request. */
export interface CompanyOption {
  readonly companyId: number;
}

/** Opens the connections for one scheme, kept alive or not. */
interface Agents {
  readonly kept: Agent;
  readonly fresh: Agent;
}

/**
 * Opens connections to addresses that the check allows and to no others, over no proxy. Certificates are verified whatever the process's
 * environment variables are. What a server sends before and after its TLS handshake is bounded. After a costly handshake, the next one of that company waits.
 */
export class CheckedAgents {
  private readonly idle = new Set<object>();
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
    return this.guard(new Agent(options), (connection) => {
      const socket = this.connect(connection);
      return socket.on('free', readRarely(socket));
    });
  }

  private tlsAgent(options: TlsAgentOptions): Agent {
    const agent = new TlsAgent(options);
    const secure = agent.createConnection.bind(agent);
    return this.guard(agent, (connection) => {
      const { companyId } = connection as unknown as CompanyOption;
      const raw = this.connect(connection);
      const bounded = new BoundedSocket(raw, (work) => this.pauses.run(companyId, work));
      const socket = secure({ ...connection, socket: bounded } as ClientRequestArgs) as TLSSocket;
      socket.on('free', readRarely(raw));
      bounded.follow(socket);
      return socket;
    });
  }

  private guard(agent: Agent, open: (options: ClientRequestArgs) => Socket): Agent {
    const { idle } = this;
    const close = function (this: Socket): void {
      this.destroy();
    };
    agent.createConnection = (options) => {
      const socket = open(options);
      socket.once('close', () => idle.delete(socket));
      return socket;
    };
    const keep = agent.keepSocketAlive.bind(agent) as unknown as (socket: object) => boolean;
    agent.keepSocketAlive = (socket: Socket) => {
      if (idle.size >= MOST_IDLE || !keep(socket)) return false;
      idle.add(socket);
      // No parser reads an idle connection, but libuv does: up to 2 MB of each in one iteration of the event loop.
      socket.on('data', close);
      return true;
    };
    const reuse = agent.reuseSocket.bind(agent);
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      socket.off('data', close);
      reuse(socket, request);
    };
    return agent;
  }

  /** Opens a connection, and ends one to another address than the look-up has returned before anything is sent over it. */
  private connect(options: ClientRequestArgs): Socket {
    const { companyId } = options as unknown as CompanyOption;
    const socket = connect({ ...options, lookup: this.lookup(companyId) } as NetConnectOpts);
    socket.prependOnceListener('connect', () => {
      const { remoteAddress = '' } = socket;
      if (!this.isAllowed(remoteAddress)) socket.destroy(new AddressNotAllowed(remoteAddress));
    });
    return socket;
  }
}
