import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '@tributary/contract';
import { searchCustomers } from '@tributary/domain/commerce/customers/module.ts';
import { findCustomerTotals } from '@tributary/domain/commerce/outcomes';
import {
  admitCall,
  type Disclosure,
  disclosePersonalData,
  type Handles,
  identify,
  Refusal,
  refuse,
  runOperation,
} from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import { openOperationDeps, type TestDesk, type Testkit } from '@tributary/testkit';
import { request } from 'undici';
import { v7 as uuid } from 'uuid';

/** A path other than the API through which personal data leaves. */
export interface WayOut {
  readonly name: string;
  /** Sends once. Throws a `Refusal` if it is refused. */
  send(): Promise<void>;
  /** The times at which the recipient received personal data. */
  readonly disclosedAt: number[];
}

interface TenantAccess {
  readonly profileId: string;
  readonly workspaceId: string;
  readonly key: () => string;
}

/** Minimal versions of other paths. They share with the API either the whole call pipeline or only the personal-data gate. */
export async function openWaysOut(kit: Testkit, access: TenantAccess) {
  const desk = openOperationDeps(kit);
  const directory = await mkdtemp(join(tmpdir(), 'ways-out-'));
  const subscriber = await openSubscriber();
  return {
    ways: [tool(desk, access), delivery(desk, access, subscriber), fileExport(desk, access, directory)],
    async close() {
      subscriber.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** An assistant's tool: runs the operation and writes the response to a pipe as one line. */
function tool(desk: TestDesk, { key }: TenantAccess): WayOut {
  const disclosedAt: number[] = [];
  const pipe = new PassThrough().resume();
  const search: Handles<typeof routes.searchCustomers> = (input, context) =>
    searchCustomers(input, { ...context, findCustomerTotals });
  return {
    name: 'tool',
    disclosedAt,
    async send() {
      const now = desk.now();
      const presented = {
        authorization: `Bearer ${key()}`,
        cookie: undefined,
        profileId: undefined,
        workspaceId: undefined,
      };
      const caller = await identify(desk, routes.searchCustomers, presented, 'assistant', now);
      const call = {
        caller,
        address: 'assistant',
        requestId: `call_${uuid()}`,
        now,
        signal: new AbortController().signal,
      };
      const input = { params: {}, query: { q: 'an' }, body: undefined, contentType: undefined, target: 'search' };
      const admitted = await admitCall(routes.searchCustomers, call, desk);
      await runOperation(routes.searchCustomers, search, admitted, input, desk, async ({ bytes }, cut) => {
        await sleep(2);
        if (cut?.aborted) return;
        pipe.write(`${bytes}\n`);
        disclosedAt.push(performance.now());
      });
    },
  };
}

/** A webhook: posts one customer to a subscriber. */
function delivery(desk: TestDesk, access: TenantAccess, { url, disclosedAt }: Subscriber): WayOut {
  const actor = { kind: 'webhook', id: uuid() };
  return {
    name: 'delivery',
    disclosedAt,
    send: () =>
      disclosePersonalData(desk.gate, disclosureOf(desk, access, 'delivery', actor, 1), async (signal) => {
        const { body } = await request(url, { method: 'POST', body: '{"email":"ana0@example.com"}', signal });
        await body.dump();
      }),
  };
}

/** An export: writes several customers to a file, row by row. */
function fileExport(desk: TestDesk, access: TenantAccess, directory: string): WayOut {
  const disclosedAt: number[] = [];
  const actor = { kind: 'export', id: uuid() };
  return {
    name: 'export',
    disclosedAt,
    send: () =>
      disclosePersonalData(desk.gate, disclosureOf(desk, access, 'export', actor, 5), async (cut) => {
        const file = createWriteStream(join(directory, 'customers.csv'));
        for (let row = 0; row < 5 && !cut.aborted; row += 1) {
          await new Promise<void>((resolve) => file.write(`ana${row}@example.com\n`, () => resolve()));
          disclosedAt.push(performance.now());
          await sleep(1);
        }
        await new Promise<void>((resolve) => file.end(resolve));
      }),
  };
}

/** A path without a caller has no grant to check again, so it checks that the profile is still in standard mode. */
const disclosureOf = (
  { now }: TestDesk,
  { profileId, workspaceId }: TenantAccess,
  operation: string,
  actor: Disclosure['actor'],
  people: number,
): Disclosure => ({
  operation,
  profileId,
  workspaceId,
  actor,
  people,
  requestId: `${operation}_${uuid()}`,
  now: now(),
  recheck: async (tx) => {
    await switchScope(tx, { profileId });
    const profile = await tx.selectFrom('profiles').select('privacy_mode').executeTakeFirst();
    if (profile?.privacy_mode !== 'standard') refuse('forbidden', 'Nobody receives people of this profile.');
  },
});

interface Subscriber {
  readonly url: string;
  readonly disclosedAt: number[];
  close(): void;
}

async function openSubscriber(): Promise<Subscriber> {
  const disclosedAt: number[] = [];
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      disclosedAt.push(performance.now());
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, disclosedAt, close: () => server.close() };
}

/** Sends repeatedly until it is stopped. Resolves to the number of refusals and of other errors. */
export async function keepSending(
  { send }: WayOut,
  isStopped: () => boolean,
): Promise<{ refused: number; failed: number }> {
  const counts = { refused: 0, failed: 0 };
  while (!isStopped()) {
    try {
      await send();
    } catch (error) {
      const isRefusal =
        error instanceof Refusal && ['forbidden', 'unauthorized', 'insufficient_scope'].includes(error.code);
      counts[isRefusal ? 'refused' : 'failed'] += 1;
      await sleep(10);
    }
    await sleep(2);
  }
  return counts;
}
