import { z } from 'zod';
import { readJson } from '../read-answer.ts';

const minuteMs = 60_000;
/** Above the first share of an allowance a long wait is due, above the second a short one. */
const backoffs = [
  { above: 95, waitMs: 10 * minuteMs },
  { above: 85, waitMs: 2 * minuteMs },
];

const Numbers = z.record(z.string(), z.unknown());
const ByBusiness = z.record(z.string(), z.array(Numbers));

type Headers = Readonly<Record<string, string | undefined>>;

/** The wait before the next call according to Meta's usage headers; undefined if none is needed. Allowances are percentages. */
export function waitOf(headers: Headers): number | undefined {
  const usages = [
    ...single(headers['x-app-usage']),
    ...single(headers['x-ad-account-usage']),
    ...single(headers['x-fb-ads-insights-throttle']),
    ...byBusiness(headers['x-business-use-case-usage']),
  ];
  const waits = usages.flatMap((usage) => {
    // Minutes for a use case, seconds for an account.
    const reportedMs =
      number(usage.estimated_time_to_regain_access) * minuteMs ||
      ifUsedUp(usage, number(usage.reset_time_duration) * 1000);
    return [reportedMs, backoffs.find(({ above }) => shareOf(usage) > above)?.waitMs ?? 0];
  });
  const longest = Math.max(0, ...waits);
  return longest > 0 ? longest : undefined;
}

/** The end of an account's window matters only if its allowance is used up. */
const ifUsedUp = (usage: Usage, ms: number): number => (shareOf(usage) >= 100 ? ms : 0);

type Usage = z.infer<typeof Numbers>;

const shares = ['call_count', 'total_time', 'total_cputime', 'acc_id_util_pct', 'app_id_util_pct'];
const shareOf = (usage: Usage): number => Math.max(0, ...shares.map((name) => number(usage[name])));
const number = (value: unknown): number => {
  const read = Number(value ?? 0);
  return Number.isFinite(read) ? read : 0;
};

function single(header: string | undefined): Usage[] {
  const read = Numbers.safeParse(readJson(header ?? ''));
  return read.success ? [read.data] : [];
}

function byBusiness(header: string | undefined): Usage[] {
  const read = ByBusiness.safeParse(readJson(header ?? ''));
  return read.success ? Object.values(read.data).flat() : [];
}
