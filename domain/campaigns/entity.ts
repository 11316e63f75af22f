import type { Reporter, SaidEntity } from './read-spend.ts';

/** A campaign, ad set or ad as the ledger knows it. '' and null: nobody has said. */
export interface KnownEntity {
  readonly id: string;
  readonly platform: string;
  readonly level: SaidEntity['level'];
  readonly externalId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly status: string;
  readonly objective: string;
  readonly format: string;
  readonly currency: string;
  /** A decimal. */
  readonly dailyBudget: string;
  readonly learningStage: string;
  /** The connection that reported it. Null: a file or the API did. */
  readonly connectionId: string | null;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly revision: number;
}

const traits = ['name', 'status', 'objective', 'format', 'currency', 'dailyBudget', 'learningStage'] as const;

/**
 * What is known after one more row of a day. Names change, and the latest day has the last word: a backfill of last year fills in
 * what nobody has said, but renames nothing. The revision counts changes of what reports show, not every day that passes.
 */
export function describe(known: KnownEntity | undefined, said: SaidEntity, day: string): KnownEntity {
  const before = known ?? unknown(said, day);
  const isLatest = day >= before.lastSeen;
  const after = { ...before };
  for (const trait of traits) {
    if (said[trait] !== undefined && (isLatest || before[trait] === '')) after[trait] = said[trait];
  }
  // An ad told with its campaign alone does not lose its ad set.
  const isNearest = said.parentLevel === (said.level === 'ad' ? 'ad_set' : 'campaign');
  if (said.parentId !== undefined && (before.parentId === null || (isNearest && isLatest))) {
    after.parentId = said.parentId;
  }
  after.connectionId = reporterOf(before.connectionId, said.reporter);
  const isChanged =
    after.connectionId !== before.connectionId ||
    after.parentId !== before.parentId ||
    traits.some((trait) => after[trait] !== before[trait]);
  return {
    ...after,
    firstSeen: day < before.firstSeen ? day : before.firstSeen,
    lastSeen: isLatest ? day : before.lastSeen,
    revision: known && isChanged ? before.revision + 1 : before.revision,
  };
}

/** The first connection that reported an entity owns it until it is disconnected: two that see the same campaign do not take turns. */
const reporterOf = (before: string | null, reporter: Reporter | undefined): string | null =>
  !reporter || (before !== null && reporter.others.has(before)) ? before : reporter.connectionId;

const unknown = ({ id, platform, level, externalId }: SaidEntity, day: string): KnownEntity => ({
  id,
  platform,
  level,
  externalId,
  parentId: null,
  name: '',
  status: '',
  objective: '',
  format: '',
  currency: '',
  dailyBudget: '',
  learningStage: '',
  connectionId: null,
  firstSeen: day,
  lastSeen: day,
  revision: 1,
});
