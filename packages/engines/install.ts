import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
}

export function which(program: string, ...directories: string[]): string | undefined {
  const searched = [...directories, ...(process.env.PATH ?? '').split(':')];
  return searched.map((directory) => join(directory, program)).find((path) => existsSync(path));
}

/** Installs packages of the distribution, which only root can do. For other users it throws with the command to run. */
export function aptInstall(...packages: string[]): void {
  if (process.getuid?.() !== 0 || !which('apt-get')) {
    throw new Error(
      `Please install ${packages.join(' and ')} with your system's package manager, then run this again.`,
    );
  }
  const install = () => run('apt-get', 'install', '-y', '--no-install-recommends', ...packages);
  try {
    install();
  } catch {
    run('apt-get', 'update');
    install();
  }
}

/**
 * Unpacks one package of a newer Debian suite into a directory, from the mirror that this machine already uses. The system's own package
 * lists stay unchanged.
 */
export function unpackFromSuite(suite: string, name: string, directory: string): void {
  if (!which('apt-get')) throw new Error(`Please install ${name} from its makers' page, then run this again.`);
  const state = join(directory, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'empty.d']) {
    mkdirSync(join(state, folder), { recursive: true });
  }
  const sources = join(state, 'sources.list');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(sources, `deb [signed-by=${keyring}] ${debianMirror()} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    `Dir::Etc::sourceparts=${join(state, 'empty.d')}`,
    `Dir::State::lists=${join(state, 'lists')}`,
    `Dir::Cache=${join(state, 'cache')}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', ...options, 'update');
  execFileSync('apt-get', [...options, 'download', name], { cwd: state, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = readdirSync(state).find((entry) => entry.endsWith('.deb'));
  if (!file) throw new Error(`apt-get downloaded no ${name}.`);
  run('dpkg-deb', '-x', join(state, file), directory);
}

function debianMirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    ...(existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []),
    '/etc/apt/sources.list',
  ].filter((file) => /\.(list|sources)$/.test(file) && existsSync(file));
  const addresses = files.flatMap((file) => readFileSync(file, 'utf8').match(/https?:\/\/\S+/g) ?? []);
  return addresses.find((address) => /\/debian\/?$/.test(address)) ?? 'http://deb.debian.org/debian';
}
