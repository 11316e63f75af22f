import type { Audited, Body, Input, Route } from '@tributary/contract';
import type { Everywhere, Ledger, Postgres, Tx, Wall } from '@tributary/postgres';
import type { z } from 'zod';
import type { Actor, AddToAudit, Answered, AuditNote, WriteAudit } from './audit.ts';
import { type Act, entryOf } from './audit-entry.ts';
import type { Servers } from './handler.ts';
import { parseBody } from './parse.ts';
import { refuse } from './refusal.ts';

/**
 * Whoever holds the keys to the machine, at the command line. No credential is asked for; what is done passes the same rooms and
 * walls as a request and leaves the same entries.
 */
export interface Operator {
  readonly actor: Actor;
  readonly now: Date;
  /** Changes something in one transaction, together with the entry that the act declares. */
  effect<A extends Answered>(
    act: Act & { readonly audit: Audited },
    place: Place,
    work: (tx: Tx, addToAudit: AddToAudit) => Promise<A>,
  ): Promise<A>;
  /** Reads over all workspaces of the home shard, and what is kept there only. */
  readonly ledger: Ledger;
  /** The same of each server by its name. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  /** Reads over all workspaces of all servers. */
  readonly everywhere: Everywhere;
  readonly servers: Servers;
  /** Looks behind a wall. */
  behind(wall: Wall): Ledger;
}

/**
 * Behind which wall, or behind none on a shard that is named; `asOwner` for what stands behind none, and only the owner of the schema may change: at home, or on all servers what each
 * of them has to know.
 */
export type Place = (Wall | { readonly asOwner: true; readonly onAllServers?: true } | { readonly shard: string }) & {
  readonly params?: Readonly<Record<string, string>>;
};

export interface OperatorOptions {
  readonly app: Postgres;
  /** As the owner of the schema. */
  readonly owner: Postgres;
  readonly audit: WriteAudit;
  readonly now: () => Date;
}

export function createOperator({ app, owner, audit, now }: OperatorOptions): Operator {
  const ledgerAt = (place: Place): Ledger => {
    if ('asOwner' in place) return owner.home.unbound;
    if (!('shard' in place)) return app.behind(place);
    const shard = app.shards.get(place.shard);
    const names = () => [...app.shards.keys()].join(', ');
    return (shard ?? refuse('invalid_parameter', `There is no ledger shard "${place.shard}" but ${names()}.`)).behind(
      {},
    );
  };
  return {
    actor,
    get now() {
      return now();
    },
    ledger: owner.home.unbound,
    ledgers: new Map([...owner.shards].map(([name, { unbound }]) => [name, unbound])),
    everywhere: owner.everywhere,
    servers: app,
    behind: (wall) => app.behind(wall),
    effect: async (act, { params = {}, ...place }, work) => {
      const ledger = ledgerAt(place);
      // The others first: whoever sees it fail half-way says it again, and only the last leaves an entry.
      if ('asOwner' in place && place.onAllServers)
        for (const shard of owner.shards.values())
          if (shard !== owner.home) await shard.unbound.transaction((tx) => work(tx, () => {}));
      const workspaceId = 'workspaceId' in place ? place.workspaceId : undefined;
      return ledger.transaction(async (tx) => {
        let note: AuditNote = {};
        const answer = await work(tx, (more) => {
          note = { ...note, ...more };
        });
        const log = workspaceId ? { workspaceId } : ('installation' as const);
        const done = { actor, log, params, answer, note, requestId: 'cli', at: now() };
        const entry = entryOf(act, done);
        if (entry) await audit(tx, entry);
        return answer;
      });
    },
  };
}

const actor = { kind: 'operator', id: 'cli' } as const;

/** What a route's body may be before it is checked. */
export type Sent<R extends Route> = R['body'] extends Body ? z.input<R['body']['schema']> : never;

/** Checks what a command was given as the body of the route is checked. */
export const readBody = <R extends Route>(route: R, sent: Sent<R>): Input<R>['body'] =>
  parseBody(route, Buffer.from(JSON.stringify(sent)), 'application/json') as Input<R>['body'];
