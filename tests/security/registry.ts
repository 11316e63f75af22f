import { execFile } from 'node:child_process';

/** Result of a registry check, or the reason why it did not run. */
export type Outcome =
  | { readonly ran: true; readonly faults: readonly string[] }
  | { readonly ran: false; readonly reason: string };

/** Fails fast if the registry does not respond. */
const timeoutArgs = ['--fetch-retries=0', '--fetch-timeout=10000'];
const timeoutMs = 45_000;

/** Known vulnerabilities of the packages in a lock file. */
export const readAdvisories = async (folder: string): Promise<Outcome> =>
  advisoriesIn(await npm(folder, 'audit', '--json', '--package-lock-only'));

/** Verifies the registry signature of each installed package, and its provenance if it has one. */
export const readSignatures = async (folder: string): Promise<Outcome> =>
  signaturesIn(await npm(folder, 'audit', 'signatures', '--json'));

const severities = ['moderate', 'high', 'critical'];

interface NpmOutput {
  readonly out: string;
  readonly error: string;
}

export function advisoriesIn({ out, error }: NpmOutput): Outcome {
  const { vulnerabilities, metadata } = parsed<{
    vulnerabilities: Record<string, { name: string; severity: string; range: string }>;
    metadata: object;
  }>(out);
  // Without the metadata, npm checked nothing and an empty list is meaningless.
  if (!vulnerabilities || !metadata) return { ran: false, reason: reasonIn(out, error) };
  const faults = Object.values(vulnerabilities)
    .filter(({ severity }) => severities.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
  return { ran: true, faults };
}

export function signaturesIn({ out, error }: NpmOutput): Outcome {
  type Package = { name: string; version: string };
  const { invalid, missing } = parsed<{ invalid: Package[]; missing: Package[] }>(out);
  if (!invalid || !missing) return { ran: false, reason: reasonIn(out, error) };
  const describe = (fault: string) => (one: Package) => `${one.name} ${one.version}: ${fault}`;
  const faults = [
    ...invalid.map(describe('signature or attestation is invalid')),
    ...missing.map(describe('is not signed')),
  ];
  return { ran: true, faults };
}

function parsed<T extends object>(text: string): Partial<T> {
  try {
    return JSON.parse(text) as Partial<T>;
  } catch {
    return {};
  }
}

function reasonIn(out: string, error: string): string {
  const { message, error: npmError } = parsed<{ message: string; error: { summary?: string } }>(out);
  const line = error.split('\n').find((each) => /\b(4\d\d|5\d\d|E[A-Z]{4,}|ENOTFOUND|timeout|network)\b/.test(each));
  return (message ?? npmError?.summary ?? line ?? 'npm printed no result').replace(/\s+/g, ' ').slice(0, 200);
}

function npm(cwd: string, ...args: string[]): Promise<NpmOutput> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: timeoutMs, maxBuffer: 1 << 26, killSignal: 'SIGKILL' } as const;
    execFile('npm', [...args, ...timeoutArgs], options, (failure, out, error) => {
      const isLate = failure?.killed === true;
      resolve({ out, error: isLate ? `network timeout after ${timeoutMs / 1_000} s` : error });
    });
  });
}
