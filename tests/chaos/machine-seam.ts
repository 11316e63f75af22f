import dns from 'node:dns';
import { readFileSync } from 'node:fs';

/**
 * Preloaded into an app process with `node --import`, so that a drill can skew its clock and break its name resolution. It replaces `Date` and
 * `dns.lookup`, which the app and all its libraries use. Monotonic time stays correct, as it does on a machine with a wrong clock.
 */

export interface Machine {
  /** Clock skew by app: api, collector, worker. */
  readonly clockMs: Readonly<Record<string, number>>;
  /** Addresses by host name. A host under `faultyDomain` without an address fails to resolve. */
  readonly names: Readonly<Record<string, string>>;
}

export const faultyDomain = '.faults.test';

const file = process.env.MACHINE_FILE;
if (file) changeMachine(file);

function changeMachine(path: string): void {
  const read = (): Machine => JSON.parse(readFileSync(path, 'utf8'));

  const [, app = ''] = /apps[/\\](\w+)[/\\]/.exec(process.argv[1] ?? '') ?? [];
  const readClock = () => read().clockMs[app] ?? 0;
  let clockMs = readClock();
  setInterval(() => {
    clockMs = readClock();
  }, 100).unref();
  const RealDate = Date;
  const now = () => RealDate.now() + clockMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });

  const lookUp = dns.lookup as (name: string, options: unknown, callback?: unknown) => void;
  const lookUpWithFaults = (name: string, options: { all?: boolean }, callback: (...found: unknown[]) => void) => {
    if (!name.endsWith(faultyDomain)) return lookUp(name, options, callback);
    const address = read().names[name];
    const found = options.all ? [null, [{ address, family: 4 }]] : [null, address, 4];
    const failure = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN', hostname: name });
    return process.nextTick(() => callback(...(address ? found : [failure])));
  };
  dns.lookup = ((name: string, options: object, callback?: () => void) =>
    callback
      ? lookUpWithFaults(name, options, callback)
      : lookUpWithFaults(name, {}, options as () => void)) as typeof dns.lookup;
}
