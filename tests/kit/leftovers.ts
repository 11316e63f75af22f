import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectEveryNode, raw } from '@tributary/clickhouse';
import { dropDatabaseAt } from './database.ts';
import { clickhouseAt } from './shards.ts';
import { destroyStreams } from './stream/index.ts';
import type { Testkit } from './testkit.ts';

const folder = join(import.meta.dirname, '../../.engines/leftovers');

interface Leftover {
  /** The process id of the test run. */
  readonly run: number;
  readonly ownerUrl: string;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
  readonly natsUrl: string;
  readonly streamPrefix: string;
}

/**
 * Records what a test process opened and may exit without closing, because several test files share it. Returns a function that removes the record
 * once everything is closed.
 */
export function noteLeftover(kit: Testkit): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${kit.clickhouseDatabase}.json`);
  const { clickhouseUrl, clickhouseDatabase, natsUrl, streamPrefix } = kit;
  const run = Number(process.env.TEST_RUN_PID);
  const { ownerUrl } = kit.database;
  const note: Leftover = { run, ownerUrl, clickhouseUrl, clickhouseDatabase, natsUrl, streamPrefix };
  writeFileSync(file, JSON.stringify(note), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** After the last test file: drops databases and streams left open by processes of this run or of runs that have ended. */
export async function sweepLeftovers(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const note = JSON.parse(readFileSync(file, 'utf8')) as Leftover;
    if (note.run !== process.pid && isAlive(note.run)) continue;
    await drop(note);
    rmSync(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function drop({ ownerUrl, clickhouseUrl, clickhouseDatabase, natsUrl, streamPrefix }: Leftover): Promise<void> {
  await dropDatabaseAt(ownerUrl);
  for (const node of connectEveryNode({ ...clickhouseAt(clickhouseUrl), database: 'default' })) {
    await node.command(raw(`DROP DATABASE IF EXISTS ${clickhouseDatabase} SYNC`), {});
    await node.close();
  }
  await destroyStreams(streamPrefix, natsUrl);
}
