import dns from 'node:dns';
import { readFileSync } from 'node:fs';

/**
 * Loaded before a process of ours (`node --import`), so that a drill can move its clock and take names from it as a machine would: `Date`
 * and `dns.lookup` are what all code in it asks, ours and that of libraries. What does not change with a wrong clock, the time that
 * has passed, is left alone.
 */

export interface Machine {
  /** Clock skew by app: api, collector, worker. */
  readonly clockMs: Readonly<Record<string, number>>;
  /** Addresses by name. A name of `faultyDomain` that is not here cannot be looked up at the moment. */
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
    construct: (target, args, maker) => Reflect.construct(target, args.length === 0 ? [now()] : args, maker),
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });

  const lookUp = dns.lookup as (name: string, options: unknown, callback?: unknown) => void;
  const changed = (name: string, options: { all?: boolean }, callback: (...found: unknown[]) => void) => {
    if (!name.endsWith(faultyDomain)) return lookUp(name, options, callback);
    const address = read().names[name];
    const found = options.all ? [null, [{ address, family: 4 }]] : [null, address, 4];
    const failure = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN', hostname: name });
    return process.nextTick(() => callback(...(address ? found : [failure])));
  };
  dns.lookup = ((name: string, options: object, callback?: () => void) =>
    callback ? changed(name, options, callback) : changed(name, {}, options as () => void)) as typeof dns.lookup;
}
