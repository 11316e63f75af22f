import { type LifeSetting, type RetentionPolicy, retentionPolicies } from './retention.ts';

const titles = {
  postgres: 'PostgreSQL',
  clickhouse: 'ClickHouse',
  streams: 'NATS',
  pgboss: 'PostgreSQL, schema `pgboss`',
} as const;

/** Generates docs/operations/retention.md. */
export function retentionPage(): string {
  const parts = [
    '# Data retention',
    '',
    'Generated from `packages/vocabulary/retention.ts`; a test compares that list with the stores. Names in capitals are [settings](../configuration.md).',
    'Deleting a profile, workspace or person deletes all of their data, regardless of this table.',
    '',
  ];
  for (const engine of Object.keys(titles) as (keyof typeof titles)[]) {
    parts.push(`## ${titles[engine]}`, '', '| store | kept | contents, or why it is kept |', '|---|---|---|');
    for (const [store, life] of Object.entries<RetentionPolicy>(retentionPolicies[engine]))
      parts.push(`| \`${store}\` | ${describeLife(life)} | ${life.words} |`);
    parts.push('');
  }
  return parts.join('\n');
}

function describeLife(life: RetentionPolicy): string {
  switch (life.ends) {
    case 'swept':
      return `${describeDays(life.days)} after ${life.age.map((column) => `\`${column}\``).join(' or ')}`;
    case 'by the engine':
    case 'by the quarter':
      return describeDays(life.days);
    case 'expired':
      return 'until `expires_at`';
    default:
      return life.ends;
  }
}

const describeDays = (days: number | LifeSetting): string =>
  typeof days === 'number' ? `${days} ${days === 1 ? 'day' : 'days'}` : `\`${days}\``;
