import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeShard } from '@tributary/vocabulary';
import pg from 'pg';

/** What a connection needs to know of an address, for every maker of connections that takes the driver's options. */
export interface ConnectionTo {
  readonly connectionString: string;
  /** Only where the address names several servers. */
  readonly stream?: () => Socket;
}

/** How long a server is waited for that does not answer, */
const lookMs = 2_000;
/** how long the others may take once one has said that it takes writes, */
const othersMs = 300;
/** and how long what was found is believed: a pool opens its connections together. */
const believedMs = 1_000;

/**
 * Connections to PostgreSQL at this address. As in PostgreSQL's own programs it may name several servers, with commas between
 * (`postgres://user:password@one:5432,two:5432/tributary`); then each new connection goes to the one that takes writes, whichever that is by now.
 */
export function connectionTo(url: string): ConnectionTo {
  const { hosts, withHost } = partsOf(url);
  if (hosts.length < 2) return { connectionString: url };
  const servers = serversOf(url);
  return { connectionString: withHost(hosts[0] ?? ''), stream: () => new FollowingSocket(servers) };
}

/** The servers that an address names, and the same address with another in their place. */
export function partsOf(url: string): { readonly hosts: string[]; readonly withHost: (host: string) => string } {
  const [, before = '', named = '', after = ''] = /^(\w+:\/\/(?:.*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return { hosts: named.split(','), withHost: (host) => `${before}${host}${after}` };
}

/** The same role on another server: `east:5432/tributary`, without a database the one of the same name. */
export function atServer(url: string, server: string): string {
  const [, before = '', , path = ''] = /^(\w+:\/\/(?:.*@)?)([^/?]*)(\/[^?]*)?/s.exec(url) ?? [];
  const rest = url.slice(url.indexOf('?') === -1 ? url.length : url.indexOf('?'));
  return `${before}${server}${server.includes('/') ? '' : path}${rest}`;
}

/** A role's address on every server of the ledger by its name, home first. */
export const atEveryServer = (url: string, further: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([[homeShard, url], ...[...further].map(([name, server]) => [name, atServer(url, server)] as const)]);

const credentials = /^(\w+:\/\/)(?:([^:@/]*)(?::[^@]*)?@)?/;

/** The login of a URL. */
export const loginOf = (url: string): string => decodeURIComponent(credentials.exec(url)?.[2] ?? '');

/** The same URL with another login and password. */
export const withLogin = (url: string, login: string, password: string): string =>
  url.replace(credentials, (_, scheme) => `${scheme}${encodeURIComponent(login)}:${encodeURIComponent(password)}@`);

/** For programs of PostgreSQL, whose arguments anybody may read: the address without its password, and the password. */
export function addressForPrograms(url: string): { readonly address: string; readonly password: string } {
  const { hosts, withHost } = partsOf(url);
  const one = new URL(withHost(hosts[0] ?? ''));
  const password = decodeURIComponent(one.password);
  one.password = '';
  if (hosts.length < 2) return { address: one.href, password };
  one.searchParams.set('target_session_attrs', 'read-write');
  return { address: partsOf(one.href).withHost(hosts.join(',')), password };
}

/** All connections of a process to one address follow together. */
const known = new Map<string, Servers>();

function serversOf(url: string): Servers {
  const servers = known.get(url) ?? new Servers(url);
  known.set(url, servers);
  return servers;
}

interface Found {
  readonly host: string;
  readonly port: number;
  /** Counts the promotions that there were: of two that take writes, the one with fewer is a primary that was replaced. */
  readonly timeline: number;
}

class Servers {
  readonly #url: string;
  #finding: Promise<Found> | undefined;
  /** The highest that any of them had: whoever comes back with an older one has missed what was written since. */
  #timeline = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** The one that takes writes. */
  find(): Promise<Found> {
    if (!this.#finding) {
      const finding = this.#look();
      this.#finding = finding;
      const forget = () => {
        if (this.#finding === finding) this.#finding = undefined;
      };
      finding
        .then(
          () => sleep(believedMs, undefined, { ref: false }),
          () => {},
        )
        .then(forget);
    }
    return this.#finding;
  }

  doubt(): void {
    this.#finding = undefined;
  }

  async #look(): Promise<Found> {
    const { hosts, withHost } = partsOf(this.#url);
    const found: Found[] = [];
    const asked = hosts.map(async (host) => {
      const timeline = await writesOn(withHost(host));
      if (timeline === undefined || timeline < this.#timeline) throw new Error(`${host} takes no writes`);
      const { hostname, port } = new URL(withHost(host));
      found.push({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432), timeline });
    });
    const all = Promise.allSettled(asked);
    try {
      await Promise.any(asked);
    } catch (error) {
      const [cause] = (error as AggregateError).errors;
      // As PostgreSQL says it of itself: a failover under way.
      throw Object.assign(new Error(`None of ${hosts.join(', ')} takes writes.`, { cause }), { code: '25006' });
    }
    await Promise.race([all, sleep(othersMs, undefined, { ref: false })]);
    const best = found.reduce((one, other) => (other.timeline > one.timeline ? other : one));
    this.#timeline = Math.max(this.#timeline, best.timeline);
    return best;
  }
}

/** The timeline of a server that takes writes; undefined for a standby. */
async function writesOn(url: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: lookMs, query_timeout: lookMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ file: string | null }>(
      'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_insert_lsn()) END AS file',
    );
    const file = rows[0]?.file;
    // The name of a file of its log begins with the timeline.
    return file ? Number.parseInt(file.slice(0, 8), 16) : undefined;
  } finally {
    // Of one that never answers, the end is not waited for.
    client.end().catch(() => {});
  }
}

/** Goes where writes are taken, wherever it is told to go: the driver knows one server only. */
class FollowingSocket extends Socket {
  readonly #servers: Servers;

  constructor(servers: Servers) {
    super();
    this.#servers = servers;
    // A connection that breaks may be the first sign of a failover.
    this.once('close', (isError) => isError && servers.doubt());
  }

  override connect(): this {
    this.#servers.find().then(
      ({ host, port }) => void (this.destroyed || super.connect(port, host)),
      (error: Error) => this.destroy(error),
    );
    return this;
  }
}
