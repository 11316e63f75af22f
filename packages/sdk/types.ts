import type { Body, Route, Routes } from '@tributary/contract';
import type { z } from 'zod';

type Nothing = Record<never, never>;

/** A part of a request: left out where the route has none, optional where nothing in it is required. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? Nothing
  : Nothing extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type ParamsOf<R> = R extends { params: infer S extends z.ZodType } ? z.input<S> : never;

/** A query is text on the wire; whoever has a number or a boolean need not write it out. */
type Written<T> = T | (string extends Exclude<T, undefined> ? number : never) | ('true' extends T ? boolean : never);

type QueryOf<R> = R extends { query: infer S extends z.ZodType }
  ? { readonly [Key in keyof z.input<S>]: Written<z.input<S>[Key]> }
  : never;

type BodyPart<R> = R extends { body: infer B extends Body }
  ? B extends { optional: true }
    ? { readonly body?: z.input<B['schema']> }
    : { readonly body: z.input<B['schema']> }
  : Nothing;

type KeyPart<R> = R extends { idempotency: 'required' }
  ? { readonly idempotencyKey: string }
  : R extends { idempotency: 'accepted' }
    ? { readonly idempotencyKey?: string }
    : Nothing;

/** What a call of the route takes. */
export type RequestOf<R extends Route> = Part<'params', ParamsOf<R>> &
  Part<'query', QueryOf<R>> &
  BodyPart<R> &
  KeyPart<R> & {
    /** Gives the call up, between attempts too. */
    readonly signal?: AbortSignal;
  };

type Success = `2${string}`;

/** What a call of the route gives: the body of whichever success it declares. */
export type AnswerTo<R extends Route> = {
  [Status in keyof R['answers']]: `${Status & number}` extends Success
    ? R['answers'][Status] extends { schema: infer S extends z.ZodType }
      ? R['answers'][Status] extends { binary: true }
        ? Blob
        : z.output<S>
      : never
    : never;
}[keyof R['answers']];

type Arguments<R extends Route> = Nothing extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>];

interface Paged<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly has_next: boolean; readonly cursor: string | null };
}

export type Call<R extends Route> = (...request: Arguments<R>) => Promise<AnswerTo<R>>;

export interface Each<R extends Route, Row> {
  /** Every row of every page, one page at a time as they are needed. */
  each(...request: Arguments<R>): AsyncGenerator<Row, void, undefined>;
  /** Every page as it was answered, with its `pagination` and `meta`. */
  pages(...request: Arguments<R>): AsyncGenerator<AnswerTo<R>, void, undefined>;
}

export type Method<R extends Route> = Call<R> & (AnswerTo<R> extends Paged<infer Row> ? Each<R, Row> : Nothing);

/** A method for each route, by operation id. */
export type ClientOf<Table extends Readonly<Record<string, Route>>> = {
  readonly [Id in keyof Table]: Method<Table[Id]>;
};

export type Client = ClientOf<Routes>;
