import { flagWords, homeShard } from '@tributary/vocabulary';
import { z } from 'zod';

/** One setting: its environment variable, its schema, and its description for operators. */
export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly variable: string;
  readonly schema: S;
  readonly about: string;
  /** The default as an operator would write it. Absent: the setting is optional and undefined unless set. */
  readonly fallback?: string;
  /** Never printed, not even in an error. */
  readonly secret?: true;
}

/** The type of a setting's value. */
export type Value<S> =
  S extends Setting<infer Z> ? z.output<Z> | (S extends { fallback: string } ? never : undefined) : never;

export function setting<S extends z.ZodType>(
  variable: string,
  schema: S,
  about: string,
  more: { fallback: string; secret?: true },
): Setting<S> & { readonly fallback: string } {
  return { variable, schema, about, ...more };
}

export function optional<S extends z.ZodType>(
  variable: string,
  schema: S,
  about: string,
  more: { secret?: true } = {},
): Setting<S> {
  return { variable, schema, about, ...more };
}

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);

export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const address = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** Like PostgreSQL's own programs, accepts several servers separated by commas: user@one:5432,two:5432/database. */
export const ledgerAddress = z.string().refine(
  (text) => {
    const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:.*@)?)([^/?]*)(.*)$/s.exec(text) ?? [];
    return hosts !== '' && hosts.split(',').every((host) => host !== '' && URL.canParse(`${before}${host}${after}`));
  },
  { message: 'must be an address that starts with postgres:// or postgresql://' },
);

/**
 * "name=server" entries separated by spaces, because a server may itself be a list: east=one:5432,two:5432/database.
 */
export const ledgerShards = z.string().transform((text, context) => {
  const shards = new Map<string, string>();
  for (const part of text.split(/\s+/).filter((one) => one !== '')) {
    const [, name = '', server = ''] = /^([a-z][a-z0-9-]{0,30})=([^\s@]+)$/.exec(part) ?? [];
    const isServer = ledgerAddress.safeParse(`postgres://${server.includes('/') ? server : `${server}/any`}`).success;
    if (name === '' || name === homeShard || shards.has(name) || !isServer) {
      context.addIssue({
        code: 'custom',
        message: `must be names and servers like "east=10.0.0.7:5432/tributary west=10.0.0.8:5432/tributary", each name once and none of them "${homeShard}"`,
      });
      return z.NEVER;
    }
    shards.set(name, server);
  }
  return shards as ReadonlyMap<string, string>;
});

/** Several addresses separated by commas: each a full URL, or host and port only after the first. */
export const addresses = (...protocols: string[]) => {
  const one = address(...protocols);
  const isOne = (part: string, index: number) =>
    one.safeParse(index > 0 && !part.includes('://') ? `${protocols[0]}//${part.trim()}` : part.trim()).success;
  return z.string().refine((text) => text.split(',').every(isOne), {
    message: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, or several with commas between`,
  });
};

export const yesOrNo = oneOf(flagWords).transform((text) => text === 'true');

/** "id:base64 of 32 bytes" entries separated by commas. The first key encrypts; all of them decrypt. */
export const keyRing = z.string().transform((text, context) => {
  const keys = text.split(',').map((part) => {
    const [id = '', encoded = ''] = part.trim().split(':');
    return { id, bytes: Buffer.from(encoded, 'base64') };
  });
  for (const { id, bytes } of keys) {
    if (!/^[a-z0-9_-]{1,16}$/.test(id) || bytes.length !== 32) {
      context.addIssue('must be keys written as id:base64 of 32 bytes, separated by commas');
      return z.NEVER;
    }
  }
  return keys;
});

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
