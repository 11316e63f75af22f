import type { ReportedEntity, Reporter } from './read-spend.ts';

/** A campaign, ad set or ad as stored in PostgreSQL. '' and null: newEntity. */
export interface StoredEntity {
  readonly id: string;
  readonly platform: string;
  readonly level: ReportedEntity['level'];
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
  /** The connection that reported it; null for a file or the API. */
  readonly connectionId: string | null;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly revision: number;
}

const traits = ['name', 'status', 'objective', 'format', 'currency', 'dailyBudget', 'learningStage'] as const;

/**
 * Merges one more report of a day into an entity. The latest day wins, so a backfill of earlier days fills newEntity
 * fields but renames nothing. The revision counts changes that reports show, not every report.
 */
export function mergeReport(stored: StoredEntity | undefined, report: ReportedEntity, day: string): StoredEntity {
  const before = stored ?? newEntity(report, day);
  const isLatest = day >= before.lastSeen;
  const after = { ...before };
  for (const trait of traits) {
    if (report[trait] !== undefined && (isLatest || before[trait] === '')) after[trait] = report[trait];
  }
  // A report that names only an ad's campaign does not remove its ad set.
  const isNearest = report.parentLevel === (report.level === 'ad' ? 'ad_set' : 'campaign');
  if (report.parentId !== undefined && (before.parentId === null || (isNearest && isLatest))) {
    after.parentId = report.parentId;
  }
  after.connectionId = chooseReporter(before.connectionId, report.reporter);
  const isChanged =
    after.connectionId !== before.connectionId ||
    after.parentId !== before.parentId ||
    traits.some((trait) => after[trait] !== before[trait]);
  return {
    ...after,
    firstSeen: day < before.firstSeen ? day : before.firstSeen,
    lastSeen: isLatest ? day : before.lastSeen,
    revision: stored && isChanged ? before.revision + 1 : before.revision,
  };
}

/**
 * The first connection that reported an entity keeps it until it is disconnected, so that two connections with the same
 * campaign do not alternate.
 */
const chooseReporter = (before: string | null, reporter: Reporter | undefined): string | null =>
  !reporter || (before !== null && reporter.others.has(before)) ? before : reporter.connectionId;

const newEntity = ({ id, platform, level, externalId }: ReportedEntity, day: string): StoredEntity => ({
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
