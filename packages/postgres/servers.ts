import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeShard } from '@tributary/vocabulary';
import pg from 'pg';

/** Connection options of the driver for a database address. */
export interface ConnectionTo {
  readonly connectionString: string;
  /** Only for an address that names several servers. */
  readonly stream?: () => Socket;
}

/** How long to wait for a server that does not answer. */
const probeTimeoutMs = 2_000;
/** How long to wait for the other servers after the first one reported that it takes writes. */
const graceMs = 300;
/** How long a result is reused, because a pool opens several connections at once. */
const reuseMs = 1_000;

/**
 * Connection options for this address. As in PostgreSQL's own clients it may name several servers, separated by commas
 * (`postgres://user:password@one:5432,two:5432/tributary`). Each new connection then goes to the server that takes writes at that moment.
 */
export function connectionTo(url: string): ConnectionTo {
  const { hosts, withHost } = partsOf(url);
  if (hosts.length < 2) return { connectionString: url };
  const servers = serversOf(url);
  return { connectionString: withHost(hosts[0] ?? ''), stream: () => new FollowingSocket(servers) };
}

/** The servers that an address names, and a function that puts another server in their place. */
export function partsOf(url: string): { readonly hosts: string[]; readonly withHost: (host: string) => string } {
  const [, before = '', named = '', after = ''] = /^(\w+:\/\/(?:.*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return { hosts: named.split(','), withHost: (host) => `${before}${host}${after}` };
}

/** The same role on another server: `east:5432/tributary`. Without a database it is the one of the same name. */
export function atServer(url: string, server: string): string {
  const [, before = '', , path = ''] = /^(\w+:\/\/(?:.*@)?)([^/?]*)(\/[^?]*)?/s.exec(url) ?? [];
  const rest = url.slice(url.indexOf('?') === -1 ? url.length : url.indexOf('?'));
  return `${before}${server}${server.includes('/') ? '' : path}${rest}`;
}

/** A role's address on every server of the ledger by server name, home first. */
export const atEveryServer = (url: string, further: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([[homeShard, url], ...[...further].map(([name, server]) => [name, atServer(url, server)] as const)]);

const credentials = /^(\w+:\/\/)(?:([^:@/]*)(?::[^@]*)?@)?/;

/** The login name of an address. */
export const loginOf = (url: string): string => decodeURIComponent(credentials.exec(url)?.[2] ?? '');

/** The same URL with another login and password. */
export const withLogin = (url: string, login: string, password: string): string =>
  url.replace(credentials, (_, scheme) => `${scheme}${encodeURIComponent(login)}:${encodeURIComponent(password)}@`);

/** For PostgreSQL's client programs, whose arguments every process can read: the address without its password, and the password. */
export function addressForPrograms(url: string): { readonly address: string; readonly password: string } {
  const { hosts, withHost } = partsOf(url);
  const address = new URL(withHost(hosts[0] ?? ''));
  const password = decodeURIComponent(address.password);
  address.password = '';
  if (hosts.length < 2) return { address: address.href, password };
  address.searchParams.set('target_session_attrs', 'read-write');
  return { address: partsOf(address.href).withHost(hosts.join(',')), password };
}

/** All connections of a process to one address share this state. */
const serversByUrl = new Map<string, Servers>();

function serversOf(url: string): Servers {
  const servers = serversByUrl.get(url) ?? new Servers(url);
  serversByUrl.set(url, servers);
  return servers;
}

interface WritableServer {
  readonly host: string;
  readonly port: number;
  /** Counts the promotions: if two servers take writes, the one with the lower timeline is a replaced primary. */
  readonly timeline: number;
}

class Servers {
  readonly #url: string;
  #finding: Promise<WritableServer> | undefined;
  /** The highest timeline of any server so far. A server that returns with a lower one lacks later writes. */
  #timeline = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** The server that takes writes. */
  find(): Promise<WritableServer> {
    if (!this.#finding) {
      const finding = this.#findWritable();
      this.#finding = finding;
      const clear = () => {
        if (this.#finding === finding) this.#finding = undefined;
      };
      finding
        .then(
          () => sleep(reuseMs, undefined, { ref: false }),
          () => {},
        )
        .then(clear);
    }
    return this.#finding;
  }

  forget(): void {
    this.#finding = undefined;
  }

  async #findWritable(): Promise<WritableServer> {
    const { hosts, withHost } = partsOf(this.#url);
    const found: WritableServer[] = [];
    const probes = hosts.map(async (host) => {
      const timeline = await readWritableTimeline(withHost(host));
      if (timeline === undefined || timeline < this.#timeline) throw new Error(`${host} takes no writes`);
      const { hostname, port } = new URL(withHost(host));
      found.push({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432), timeline });
    });
    const all = Promise.allSettled(probes);
    try {
      await Promise.any(probes);
    } catch (error) {
      const [cause] = (error as AggregateError).errors;
      // The same code as PostgreSQL's own error for a read-only server: a failover is under way.
      throw Object.assign(new Error(`None of ${hosts.join(', ')} takes writes.`, { cause }), { code: '25006' });
    }
    await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
    const best = found.reduce((one, other) => (other.timeline > one.timeline ? other : one));
    this.#timeline = Math.max(this.#timeline, best.timeline);
    return best;
  }
}

/** The timeline of a server that takes writes; undefined for a standby. */
async function readWritableTimeline(url: string): Promise<number | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ file: string | null }>(
      'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_insert_lsn()) END AS file',
    );
    const file = rows[0]?.file;
    // The name of a WAL file begins with the timeline.
    return file ? Number.parseInt(file.slice(0, 8), 16) : undefined;
  } finally {
    // A server that never answers would also block the end of the connection, so it is not awaited.
    client.end().catch(() => {});
  }
}

/** Connects to the server that takes writes, whatever address the driver passes: the driver supports only one server. */
class FollowingSocket extends Socket {
  readonly #servers: Servers;

  constructor(servers: Servers) {
    super();
    this.#servers = servers;
    // A broken connection may be the first sign of a failover.
    this.once('close', (isError) => isError && servers.forget());
  }

  override connect(): this {
    this.#servers.find().then(
      ({ host, port }) => void (this.destroyed || super.connect(port, host)),
      (error: Error) => this.destroy(error),
    );
    return this;
  }
}
