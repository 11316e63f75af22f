import type { Audited, Body, Input, Route } from '@tributary/contract';
import type { Ledger, Postgres, Tx, Wall } from '@tributary/postgres';
import type { z } from 'zod';
import type { Actor, AddToAudit, Answered, AuditNote, WriteAudit } from './audit.ts';
import { type Act, entryOf } from './audit-entry.ts';
import { parseBody } from './parse.ts';

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
  /** Reads over all workspaces. */
  readonly ledger: Ledger;
  /** Looks behind a wall. */
  behind(wall: Wall): Ledger;
}

/** Behind which wall; `asOwner` for what stands behind none, and only the owner of the schema may change. */
export type Place = (Wall | { readonly asOwner: true }) & { readonly params?: Readonly<Record<string, string>> };

export interface OperatorOptions {
  readonly app: Postgres;
  /** As the owner of the schema. */
  readonly owner: Postgres;
  readonly audit: WriteAudit;
  readonly now: () => Date;
}

export function createOperator({ app, owner, audit, now }: OperatorOptions): Operator {
  return {
    actor,
    get now() {
      return now();
    },
    ledger: owner.unbound,
    behind: (wall) => app.behind(wall),
    effect: (act, { params = {}, ...place }, work) => {
      const ledger = 'asOwner' in place ? owner.unbound : app.behind(place);
      const workspaceId = 'asOwner' in place ? undefined : place.workspaceId;
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
