import type { Audited, Body, Input, Route } from '@tributary/contract';
import type { AllShards, Ledger, Postgres, TenantScope, Tx } from '@tributary/postgres';
import type { z } from 'zod';
import type { Actor, AddToAudit, Answered, AuditNote, WriteAudit } from './audit.ts';
import { type Act, entryOf } from './audit-entry.ts';
import type { Servers } from './handler.ts';
import { parseBody } from './parse.ts';
import { refuse } from './refusal.ts';

/**
 * The operator at the command line, who has the installation's keys. No credential is required, but commands use the same
 * modules, tenant isolation and audit entries as requests.
 */
export interface Operator {
  readonly actor: Actor;
  readonly now: Date;
  /** Makes a change in one transaction, together with its declared audit entry. */
  effect<A extends Answered>(
    act: Act & { readonly audit: Audited },
    place: Scope,
    work: (tx: Tx, addToAudit: AddToAudit) => Promise<A>,
  ): Promise<A>;
  /** Reads all workspaces of the home shard, and the data that is only stored there. */
  readonly ledger: Ledger;
  /** The ledger of each shard by name. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  /** Reads all workspaces of all shards. */
  readonly everywhere: AllShards;
  readonly servers: Servers;
  /** A ledger in a tenant scope. */
  behind(wall: TenantScope): Ledger;
}

/**
 * The scope of a change: a tenant, a named shard without tenant, or `asOwner` for tables without tenant isolation that only the
 * schema owner may change. Those are changed at home, or on all shards for data that each shard needs.
 */
export type Scope = (
  | TenantScope
  | { readonly asOwner: true; readonly onAllServers?: true }
  | { readonly shard: string }
) & {
  readonly params?: Readonly<Record<string, string>>;
};

export interface OperatorOptions {
  readonly app: Postgres;
  /** Connects as the owner of the schema. */
  readonly owner: Postgres;
  readonly audit: WriteAudit;
  readonly now: () => Date;
}

export function createOperator({ app, owner, audit, now }: OperatorOptions): Operator {
  const ledgerAt = (place: Scope): Ledger => {
    if ('asOwner' in place) return owner.home.unbound;
    if (!('shard' in place)) return app.withScope(place);
    const shard = app.shards.get(place.shard);
    const names = () => [...app.shards.keys()].join(', ');
    return (
      shard ?? refuse('invalid_parameter', `There is no ledger shard "${place.shard}" but ${names()}.`)
    ).withScope({});
  };
  return {
    actor,
    get now() {
      return now();
    },
    ledger: owner.home.unbound,
    ledgers: new Map([...owner.shards].map(([name, { unbound }]) => [name, unbound])),
    everywhere: owner.allShards,
    servers: app,
    behind: (wall) => app.withScope(wall),
    effect: async (act, { params = {}, ...place }, work) => {
      const ledger = ledgerAt(place);
      // The other shards first: if it fails half-way, the operator repeats the command, and only the last transaction writes the
      // audit entry.
      if ('asOwner' in place && place.onAllServers)
        for (const shard of owner.shards.values())
          if (shard !== owner.home) await shard.unbound.transaction((tx) => work(tx, () => {}));
      const workspaceId = 'workspaceId' in place ? place.workspaceId : undefined;
      return ledger.transaction(async (tx) => {
        let note: AuditNote = {};
        const answer = await work(tx, (addition) => {
          note = { ...note, ...addition };
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

/** The input type of a route's body, before validation. */
export type RouteInput<R extends Route> = R['body'] extends Body ? z.input<R['body']['schema']> : never;

/** Validates the arguments of a command like the body of the route. */
export const readBody = <R extends Route>(route: R, sent: RouteInput<R>): Input<R>['body'] =>
  parseBody(route, Buffer.from(JSON.stringify(sent)), 'application/json') as Input<R>['body'];
