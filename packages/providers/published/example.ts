import type { Provider, Received, Said } from '../provider.ts';

/** An answer as a provider publishes it, and what must be made of it. */
export interface Example {
  readonly name: string;
  /** Where its form is published. */
  readonly source: string;
  /** What the API answers, by the end of the path; other paths get the provider's empty answer. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** A webhook that carries the record itself. */
  readonly webhook?: { readonly topic: string; readonly body: unknown };
  readonly said: readonly unknown[];
}

export interface PublishedExamples {
  readonly provider: Provider;
  readonly account: {
    readonly externalId: string;
    readonly credentials: unknown;
    readonly details: Record<string, string>;
  };
  /** Where a sync begins that reads what the examples are about. */
  readonly position: unknown;
  /** An empty answer to whatever an example says nothing about. */
  readonly empty: (path: string) => unknown;
  /** Kinds of records that the examples are about; all unless given. */
  readonly kinds?: readonly Said['kind'][];
  readonly examples: readonly Example[];
}

export const receivedOf = ({ topic, body }: NonNullable<Example['webhook']>): Received => ({
  headers: { 'x-shopify-topic': topic },
  // '#820982911946154508' stands for a number that JavaScript cannot write.
  body: Buffer.from(JSON.stringify(body).replaceAll(/"#(\d{15,})"/g, '$1')),
});
