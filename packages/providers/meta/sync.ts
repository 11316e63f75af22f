import { z } from 'zod';
import { addDays, dayIn, daysBetween, earlier } from '../days.ts';
import type { Account, Call, SyncPage } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAs } from '../read-answer.ts';
import type { MetaCredentials } from './credentials.ts';
import { type EdgeName, edgeNames, edges } from './entities.ts';
import type { Graph } from './graph.ts';
import { Insight, insightFields, parseInsight } from './insights.ts';

/**
 * The position of a sync: first the three entity edges, then windows of days. Only Meta's cursor is stored, never its URL of the
 * next page, which contains the token.
 */
export type MetaPosition =
  | { readonly stage: EdgeName; readonly after?: string; readonly limit?: number; readonly restatedOn: string | null }
  | DeliveryPosition
  | { readonly stage: 'done'; readonly restatedOn: string };

interface DeliveryPosition {
  readonly stage: 'insights';
  readonly first: string;
  readonly last: string;
  /** The current window: `days` days from `since`. */
  readonly since: string;
  readonly days: number;
  readonly after?: string;
  readonly limit?: number;
  /** The asynchronous report that Meta is preparing. */
  readonly run?: string;
  readonly polls?: number;
}

/** The history that a first sync reads. */
const firstDays = 90;
/** Meta may restate a day for 28 days. These days are read again once a day, and the last two at every sync. */
const restatedDays = 28;
const windows = [30, 7, 1];
/** Longer windows need an asynchronous report. */
const maxSynchronousDays = 7;
const maxPolls = 200;
/** The report of a small account is ready within a second or two. */
const pollMs = [500, 1_000, 2_000];
const maxPollMs = 3_000;
const rowsPerPage = 500;

const Started = z.object({ report_run_id: z.string() });
const RunState = z.object({ async_status: z.string(), async_percent_completion: z.number().default(0) });

export async function* sync(
  graph: Graph,
  account: Account<MetaCredentials>,
  from: MetaPosition | null,
  call: Call,
): AsyncGenerator<SyncPage<MetaPosition>> {
  let position: MetaPosition = startOf(from);
  while (position.stage !== 'done') {
    const page: SyncPage<MetaPosition> =
      position.stage === 'insights'
        ? await readDelivery(graph, account, position, call)
        : await readEdge(graph, account, { ...position, stage: position.stage }, call);
    yield page;
    position = page.position;
  }
}

function startOf(from: MetaPosition | null): MetaPosition {
  if (from === null) return { stage: 'campaigns', restatedOn: null };
  return from.stage === 'done' ? { stage: 'campaigns', restatedOn: from.restatedOn } : from;
}

async function readEdge(
  graph: Graph,
  account: Account<MetaCredentials>,
  at: {
    readonly stage: EdgeName;
    readonly after?: string;
    readonly limit?: number;
    readonly restatedOn: string | null;
  },
  call: Call,
): Promise<SyncPage<MetaPosition>> {
  const edge = edges[at.stage];
  const params = { fields: edge.fields, effective_status: JSON.stringify(edge.statuses) };
  const query = { path: `${account.externalId}/${at.stage}`, params, limit: at.limit ?? edge.limit, after: at.after };
  const { rows, after, limit, waitMs } = await graph.page(z.unknown(), query, account.credentials.accessToken, call);
  const currency = account.details.currency ?? '';
  const next = edgeNames[edgeNames.indexOf(at.stage) + 1];
  const { restatedOn } = at;
  const position: MetaPosition =
    after !== undefined
      ? { stage: at.stage, after, limit, restatedOn }
      : next
        ? { stage: next, restatedOn }
        : planDelivery(account, restatedOn, call.now);
  return {
    records: rows.map((row) => edge.parse(row, currency)),
    position,
    progress: (edgeNames.indexOf(at.stage) + 1) / 20,
    ...(waitMs !== undefined && { waitMs }),
  };
}

function planDelivery(account: Account<MetaCredentials>, restatedOn: string | null, now: Date): MetaPosition {
  const today = dayIn(account.details.timeZone ?? 'UTC', now);
  const backDays =
    restatedOn === null ? firstDays : restatedOn < today ? restatedDays + daysBetween(restatedOn, today) : 2;
  const first = addDays(today, 1 - Math.min(backDays, firstDays));
  return { stage: 'insights', first, last: today, since: first, days: windows[0] as number };
}

async function readDelivery(
  graph: Graph,
  account: Account<MetaCredentials>,
  at: DeliveryPosition,
  call: Call,
): Promise<SyncPage<MetaPosition>> {
  const until = earlier(addDays(at.since, at.days - 1), at.last);
  const isReport = daysBetween(at.since, until) >= maxSynchronousDays;
  try {
    if (isReport && at.run === undefined) return await startReport(graph, account, at, until, call);
    if (isReport && at.polls !== undefined) return await pollReport(graph, account, at, call);
    return await readRows(graph, account, at, until, call);
  } catch (error) {
    // Reports expire after a month; the window is then restarted.
    const isGone = at.run !== undefined && error instanceof ProviderFault && error.details.verdict === 'refused';
    const smaller = isGone || isTooLarge(error) ? smallerThan(at.days) : undefined;
    if (smaller === undefined) throw error;
    return { records: [], position: { ...withoutCursor(at), days: smaller }, progress: progressOf(at) };
  }
}

const paramsFor = (since: string, until: string) => ({
  level: 'ad',
  time_increment: '1',
  time_range: JSON.stringify({ since, until }),
  fields: insightFields,
});

async function startReport(
  graph: Graph,
  account: Account<MetaCredentials>,
  at: DeliveryPosition,
  until: string,
  call: Call,
): Promise<SyncPage<MetaPosition>> {
  const path = `${account.externalId}/insights`;
  const { body } = await graph.post(path, paramsFor(at.since, until), account.credentials.accessToken, call);
  const { report_run_id: run } = readAs(Started, body, path);
  return { records: [], position: { ...withoutCursor(at), run, polls: 0 }, progress: progressOf(at) };
}

async function pollReport(
  graph: Graph,
  account: Account<MetaCredentials>,
  at: DeliveryPosition,
  call: Call,
): Promise<SyncPage<MetaPosition>> {
  const run = at.run ?? '';
  const fields = 'async_status,async_percent_completion';
  const { body } = await graph.get(run, { fields }, account.credentials.accessToken, call);
  const { async_status: status } = readAs(RunState, body, 'report');
  if (status === 'Job Completed')
    return { records: [], position: { ...withoutCursor(at), run }, progress: progressOf(at) };
  const polls = (at.polls ?? 0) + 1;
  if (status === 'Job Failed' || status === 'Job Skipped' || polls > maxPolls) throw reportFailed(status);
  return {
    records: [],
    position: { ...withoutCursor(at), run, polls },
    progress: progressOf(at),
    waitMs: pollMs[polls - 1] ?? maxPollMs,
  };
}

async function readRows(
  graph: Graph,
  account: Account<MetaCredentials>,
  at: DeliveryPosition,
  until: string,
  call: Call,
): Promise<SyncPage<MetaPosition>> {
  const path = at.run === undefined ? `${account.externalId}/insights` : `${at.run}/insights`;
  const params = at.run === undefined ? paramsFor(at.since, until) : {};
  const query = { path, params, limit: at.limit ?? rowsPerPage, after: at.after };
  const { rows, after, limit, waitMs } = await graph.page(Insight, query, account.credentials.accessToken, call);
  const next: DeliveryPosition = { ...withoutCursor(at), since: addDays(until, 1) };
  const position: MetaPosition =
    after !== undefined
      ? { ...withoutCursor(at), ...(at.run !== undefined && { run: at.run }), after, limit }
      : next.since > at.last
        ? { stage: 'done', restatedOn: at.last }
        : next;
  const progress = position.stage === 'done' ? 1 : progressOf(next);
  return { records: rows.map(parseInsight), position, progress, ...(waitMs !== undefined && { waitMs }) };
}

const withoutCursor = ({ first, last, since, days }: DeliveryPosition): DeliveryPosition => ({
  stage: 'insights',
  first,
  last,
  since,
  days,
});

const progressOf = ({ first, last, since }: DeliveryPosition): number =>
  0.15 + 0.85 * Math.min(1, daysBetween(first, since) / (daysBetween(first, last) + 1));

const smallerThan = (days: number): number | undefined => windows.find((window) => window < days);

const reportFailed = (status: string): ProviderFault =>
  new ProviderFault({ verdict: 'wait', code: 'report_failed', says: `Meta's report ended as "${status}".` });

/** Too many days at once: they are requested again in smaller windows. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof ProviderFault &&
  ['report_failed', '1', '100/1487534', '1504018', '1504038'].some(
    (code) => error.details.code === code || error.details.code.endsWith(`/${code}`),
  );
