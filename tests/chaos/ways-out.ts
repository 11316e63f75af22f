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

/** A way for people's data to leave besides the API, tried over and over. */
export interface WayOut {
  readonly name: string;
  /** Sends once; refused, it throws a refusal. */
  send(): Promise<void>;
  /** When people's data was with whoever receives it. */
  readonly left: number[];
}

interface Place {
  readonly profileId: string;
  readonly workspaceId: string;
  readonly key: () => string;
}

/** Toys of what is to come, each as small as can be: what they share with the API is the call, or the gate alone. */
export async function openWaysOut(kit: Testkit, place: Place) {
  const desk = openOperationDeps(kit);
  const directory = await mkdtemp(join(tmpdir(), 'ways-out-'));
  const subscriber = await openSubscriber();
  return {
    ways: [tool(desk, place), delivery(desk, place, subscriber), fileExport(desk, place, directory)],
    async close() {
      subscriber.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** An assistant's tool: the operation itself, its answer a line on a pipe. */
function tool(desk: TestDesk, { key }: Place): WayOut {
  const left: number[] = [];
  const pipe = new PassThrough().resume();
  const search: Handles<typeof routes.searchCustomers> = (input, context) =>
    searchCustomers(input, { ...context, findCustomerTotals });
  return {
    name: 'tool',
    left,
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
        left.push(performance.now());
      });
    },
  };
}

/** A webhook: one customer, posted to a subscriber. */
function delivery(desk: TestDesk, place: Place, { url, left }: Subscriber): WayOut {
  const actor = { kind: 'webhook', id: uuid() };
  return {
    name: 'delivery',
    left,
    send: () =>
      disclosePersonalData(desk.gate, leaving(desk, place, 'delivery', actor, 1), async (signal) => {
        const { body } = await request(url, { method: 'POST', body: '{"email":"ana0@example.com"}', signal });
        await body.dump();
      }),
  };
}

/** An export: many customers, written to a file piece by piece. */
function fileExport(desk: TestDesk, place: Place, directory: string): WayOut {
  const left: number[] = [];
  const actor = { kind: 'export', id: uuid() };
  return {
    name: 'export',
    left,
    send: () =>
      disclosePersonalData(desk.gate, leaving(desk, place, 'export', actor, 5), async (cut) => {
        const file = createWriteStream(join(directory, 'customers.csv'));
        for (let row = 0; row < 5 && !cut.aborted; row += 1) {
          await new Promise<void>((resolve) => file.write(`ana${row}@example.com\n`, () => resolve()));
          left.push(performance.now());
          await sleep(1);
        }
        await new Promise<void>((resolve) => file.end(resolve));
      }),
  };
}

/** What has no caller asks for itself whether the profile is still an ordinary one. */
const leaving = (
  { now }: TestDesk,
  { profileId, workspaceId }: Place,
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
  readonly left: number[];
  close(): void;
}

async function openSubscriber(): Promise<Subscriber> {
  const left: number[] = [];
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      left.push(performance.now());
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, left, close: () => server.close() };
}

/** Keeps a way busy until told to stop. Resolves to how often it was refused, and how often something else went wrong. */
export async function keepSending(
  { send }: WayOut,
  isStopped: () => boolean,
): Promise<{ refused: number; odd: number }> {
  const counts = { refused: 0, odd: 0 };
  while (!isStopped()) {
    try {
      await send();
    } catch (error) {
      const isRefusal =
        error instanceof Refusal && ['forbidden', 'unauthorized', 'insufficient_scope'].includes(error.code);
      counts[isRefusal ? 'refused' : 'odd'] += 1;
      await sleep(10);
    }
    await sleep(2);
  }
  return counts;
}
