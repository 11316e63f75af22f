import { createHash } from 'node:crypto';
import type { AuditEntry } from '@tributary/operations';
import type { Ledger } from '@tributary/postgres';
import { readLinks } from './store.ts';

export interface AuditVerdict {
  readonly entries: number;
  /** The first entry whose hash does not follow from the previous entry; undefined when the chain is intact. */
  readonly brokenAt: string | undefined;
  /** The last hash. Stored elsewhere, it later proves that the chain was not truncated. */
  readonly head: string;
}

const pageSize = 5_000;

/** Recomputes a hash chain from its entries, page by page. */
export async function verifyAudit(ledger: Ledger, log: AuditEntry['log']): Promise<AuditVerdict> {
  let previous: Buffer = Buffer.alloc(0);
  let sequence = 0n;
  while (true) {
    const links = await ledger.transaction((tx) => readLinks(tx, log, sequence, pageSize));
    for (const link of links) {
      const hash = createHash('sha256').update(previous).update(link.text).digest();
      const isIntact =
        BigInt(link.sequence) === sequence + 1n && link.previous_hash.equals(previous) && link.hash.equals(hash);
      if (!isIntact) return { entries: Number(sequence), brokenAt: link.sequence, head: previous.toString('hex') };
      previous = link.hash;
      sequence += 1n;
    }
    if (links.length < pageSize)
      return { entries: Number(sequence), brokenAt: undefined, head: previous.toString('hex') };
  }
}
