import type { Body, Route, Routes } from '@tributary/contract';
import type { z } from 'zod';

type Empty = Record<never, never>;

/** A part of a request: absent if the route has none, optional if nothing in it is required. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? Empty
  : Empty extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type ParamsOf<R> = R extends { params: infer S extends z.ZodType } ? z.input<S> : never;

/** Queries are text on the wire; callers may also pass numbers and booleans. */
type QueryValue<T> = T | (string extends Exclude<T, undefined> ? number : never) | ('true' extends T ? boolean : never);

type QueryOf<R> = R extends { query: infer S extends z.ZodType }
  ? { readonly [Key in keyof z.input<S>]: QueryValue<z.input<S>[Key]> }
  : never;

type BodyPart<R> = R extends { body: infer B extends Body }
  ? B extends { optional: true }
    ? { readonly body?: z.input<B['schema']> }
    : { readonly body: z.input<B['schema']> }
  : Empty;

type KeyPart<R> = R extends { idempotency: 'required' }
  ? { readonly idempotencyKey: string }
  : R extends { idempotency: 'accepted' }
    ? { readonly idempotencyKey?: string }
    : Empty;

/** The parameters of a call. */
export type RequestOf<R extends Route> = Part<'params', ParamsOf<R>> &
  Part<'query', QueryOf<R>> &
  BodyPart<R> &
  KeyPart<R> & {
    /** Aborts the call, also between attempts. */
    readonly signal?: AbortSignal;
  };

type Success = `2${string}`;

/** The result of a call: the body of any declared success response. */
export type ResponseOf<R extends Route> = {
  [Status in keyof R['answers']]: `${Status & number}` extends Success
    ? R['answers'][Status] extends { schema: infer S extends z.ZodType }
      ? R['answers'][Status] extends { binary: true }
        ? Blob
        : z.output<S>
      : never
    : never;
}[keyof R['answers']];

type Arguments<R extends Route> = Empty extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>];

interface Paged<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly has_next: boolean; readonly cursor: string | null };
}

export type Call<R extends Route> = (...request: Arguments<R>) => Promise<ResponseOf<R>>;

export interface Each<R extends Route, Row> {
  /** Yields every row of every page; pages are fetched as needed. */
  each(...request: Arguments<R>): AsyncGenerator<Row, void, undefined>;
  /** Yields every page as returned by the server, with its `pagination` and `meta`. */
  pages(...request: Arguments<R>): AsyncGenerator<ResponseOf<R>, void, undefined>;
}

export type Method<R extends Route> = Call<R> & (ResponseOf<R> extends Paged<infer Row> ? Each<R, Row> : Empty);

/** A client with a method for each route, by operation id. */
export type ClientOf<Table extends Readonly<Record<string, Route>>> = {
  readonly [Id in keyof Table]: Method<Table[Id]>;
};

export type Client = ClientOf<Routes>;
