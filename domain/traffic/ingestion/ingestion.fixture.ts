import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import type { StreamMessage } from '@tributary/stream';
import { testRing, testStreamVault } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { type Ingestion, type IngestionParts, openIngestion } from './context.ts';
import { type Agent, type Arrival, sealMessage, type VisitMessage } from './message.ts';

export const person: Agent = { browser: 'Firefox', os: 'Linux', device: 'desktop', is_bot: false };
export const robot: Agent = { ...person, is_bot: true };

export const openTestIngestion = (
  postgres: Postgres,
  clickhouse: ClickHouse,
  now: () => Date,
  changes: Partial<IngestionParts> = {},
): Ingestion =>
  openIngestion({
    postgres,
    clickhouse,
    ring: testRing,
    markVerified: async () => {},
    badBytesPerDay: 50 << 20,
    now,
    ...changes,
  });

export interface Sent extends Partial<Omit<Arrival, 'profile_id'>> {
  readonly profileId: string;
  readonly receivedAt: Date;
  readonly visits: readonly unknown[];
}

/** Builds the message that the collector would publish for a request. */
export function messageOf({ profileId, receivedAt, visits, ...arrival }: Sent): VisitMessage {
  return sealMessage(
    uuid(),
    {
      profile_id: profileId,
      client_id: uuid(),
      received_at: receivedAt.toISOString(),
      country: 'CL',
      region: 'CL-RM',
      city: 'Santiago',
      user_agent: person,
      ...arrival,
    },
    visits,
    [],
    testStreamVault,
  );
}

/** One delivery of messages, which records the reasons of rejections. */
export function delivered(...messages: readonly unknown[]): StreamMessage & { readonly rejected: string[] } {
  const rejected: string[] = [];
  return {
    id: uuid(),
    sequence: 1,
    deliveries: 1,
    partition: 0,
    publishedAt: new Date(0),
    payload: Buffer.from(messages.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')),
    headers: {},
    reject: (reason) => void rejected.push(reason),
    retry: () => {},
    rejected,
  };
}
