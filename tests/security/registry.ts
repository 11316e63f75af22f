import { execFile } from 'node:child_process';

/** What a check of the registry came to. One that could not run has shown nothing, and says so. */
export type Outcome =
  | { readonly ran: true; readonly faults: readonly string[] }
  | { readonly ran: false; readonly why: string };

/** A registry that does not answer is not waited for. */
const patience = ['--fetch-retries=0', '--fetch-timeout=10000'];
const longestMs = 45_000;

/** Known vulnerabilities of the packages in a lock file. */
export const readAdvisories = async (folder: string): Promise<Outcome> =>
  advisoriesIn(await npm(folder, 'audit', '--json', '--package-lock-only'));

/** Whether each installed package was signed by the registry, and its provenance where its makers gave one. */
export const readSignatures = async (folder: string): Promise<Outcome> =>
  signaturesIn(await npm(folder, 'audit', 'signatures', '--json'));

const severities = ['moderate', 'high', 'critical'];

interface Printed {
  readonly out: string;
  readonly error: string;
}

export function advisoriesIn({ out, error }: Printed): Outcome {
  const { vulnerabilities, metadata } = parsed<{
    vulnerabilities: Record<string, { name: string; severity: string; range: string }>;
    metadata: object;
  }>(out);
  // Without the count of what was looked up, an empty list says nothing.
  if (!vulnerabilities || !metadata) return { ran: false, why: reasonIn(out, error) };
  const faults = Object.values(vulnerabilities)
    .filter(({ severity }) => severities.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
  return { ran: true, faults };
}

export function signaturesIn({ out, error }: Printed): Outcome {
  type Package = { name: string; version: string };
  const { invalid, missing } = parsed<{ invalid: Package[]; missing: Package[] }>(out);
  if (!invalid || !missing) return { ran: false, why: reasonIn(out, error) };
  const tell = (what: string) => (one: Package) => `${one.name} ${one.version}: ${what}`;
  const faults = [...invalid.map(tell('signature or attestation is invalid')), ...missing.map(tell('is not signed'))];
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
  const { message, error: told } = parsed<{ message: string; error: { summary?: string } }>(out);
  const line = error.split('\n').find((each) => /\b(4\d\d|5\d\d|E[A-Z]{4,}|ENOTFOUND|timeout|network)\b/.test(each));
  return (message ?? told?.summary ?? line ?? 'npm printed no result').replace(/\s+/g, ' ').slice(0, 200);
}

function npm(cwd: string, ...args: string[]): Promise<Printed> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: longestMs, maxBuffer: 1 << 26, killSignal: 'SIGKILL' } as const;
    execFile('npm', [...args, ...patience], options, (failure, out, error) => {
      const isLate = failure?.killed === true;
      resolve({ out, error: isLate ? `network timeout after ${longestMs / 1_000} s` : error });
    });
  });
}
