import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** Whether git has the commit; a shallow clone may lack it. */
export function isKnown(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Extracts the files of an earlier commit. Libraries are those installed here; our packages are the commit's own. */
export function checkOut(commit: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  const archive = join(directory, 'files.tar');
  execFileSync('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: root });
  execFileSync('tar', ['--extract', `--file=${archive}`, `--directory=${directory}`]);
  for (const place of ['', 'apps/cli']) linkModules(join(root, place), join(directory, place));
}

function linkModules(from: string, to: string): void {
  if (!existsSync(join(from, 'node_modules'))) return;
  const ours = join(to, 'node_modules/@tributary');
  mkdirSync(ours, { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules')))
    if (name !== '@tributary') symlinkSync(join(from, 'node_modules', name), join(to, 'node_modules', name));
  if (!existsSync(join(from, 'node_modules/@tributary'))) return;
  // The link is relative, so it leads to the package beside it.
  for (const name of readdirSync(join(from, 'node_modules/@tributary')))
    symlinkSync(readlinkSync(join(from, 'node_modules/@tributary', name)), join(ours, name));
}

/** Runs a command of the version in that directory, as an operator would. */
export async function command(directory: string, environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(directory, 'apps/cli/main.ts'), ...args], {
    cwd: directory,
    env: { ...process.env, ...environment },
    maxBuffer: 1 << 24,
  });
  return stdout;
}
