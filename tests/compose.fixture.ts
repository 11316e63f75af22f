import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { groups } from '../packages/config/settings.ts';

/** compose.yaml as Docker Compose would run it, with example secrets. */

export const root = join(import.meta.dirname, '..');
const reference = /\$\{(\w+)(:[-?][^}]*)?\}/g;
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly networks?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const written = parse(read('compose.yaml'), { merge: true }) as Compose;
export const example = read('deploy/compose.env.example');
export const settingNames = Object.values(groups).flatMap((group) =>
  Object.values(group).map(({ variable }) => variable),
);
/** The variables that an operator must set. Example values look like numbers, as generated ones can. */
export const required = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name as string);
export const filledIn: Record<string, string> = Object.fromEntries(
  required.map((name, index) => [
    name,
    name === 'ENCRYPTION_KEYS' ? `k1:${Buffer.alloc(32).toString('base64')}` : `12e4${index}`,
  ]),
);
export const compose = interpolate(written, filledIn) as Compose;
export const services = Object.entries(compose.services);
export const ours = services.filter(([, service]) => service.build !== undefined);
export const engines = services.filter(([, service]) => service.build === undefined);

interface Variable {
  readonly name: string;
  /** `:-fallback`, `:?message`, or nothing. */
  readonly rule: string;
}

/** Every ${VARIABLE} in the values, without comments. */
export function variables(value: unknown): Variable[] {
  if (typeof value === 'string') {
    return [...value.matchAll(reference)].map(([, name, rule = '']) => ({ name: name as string, rule }));
  }
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(variables) : [];
}

/** Interpolates ${NAME}, ${NAME:-fallback} and ${NAME:?message} in every value, as Docker Compose does. */
function interpolate(value: unknown, environment: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(reference, (_, name: string, rule = '') => {
      const given = environment[name];
      if (!given && rule.startsWith(':?')) throw new Error(`${name} ${rule.slice(2)}`);
      return given || (rule.startsWith(':-') ? rule.slice(2) : '');
    });
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, environment));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, environment)]));
}
