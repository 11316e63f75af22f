import { type Life, type LifeSetting, lives } from './retention.ts';

const titles = {
  postgres: 'PostgreSQL',
  clickhouse: 'ClickHouse',
  streams: 'NATS',
  pgboss: 'PostgreSQL, schema `pgboss`',
} as const;

/** docs/operations/retention.md. */
export function retentionPage(): string {
  const parts = [
    '# How long what is kept',
    '',
    'Made from `packages/vocabulary/retention.ts`; a test holds that list against the engines. Names in capitals are [settings](../configuration.md).',
    'A deleted profile, workspace or person takes all of theirs along, whatever the table says.',
    '',
  ];
  for (const engine of Object.keys(titles) as (keyof typeof titles)[]) {
    parts.push(`## ${titles[engine]}`, '', '| store | life | what it holds, or why it is kept |', '|---|---|---|');
    for (const [store, life] of Object.entries<Life>(lives[engine]))
      parts.push(`| \`${store}\` | ${lifeIn(life)} | ${life.words} |`);
    parts.push('');
  }
  return parts.join('\n');
}

function lifeIn(life: Life): string {
  switch (life.ends) {
    case 'swept':
      return `${daysIn(life.days)} after ${life.age.map((column) => `\`${column}\``).join(' or ')}`;
    case 'by the engine':
    case 'by the quarter':
      return daysIn(life.days);
    case 'expired':
      return 'until `expires_at`';
    default:
      return life.ends;
  }
}

const daysIn = (days: number | LifeSetting): string =>
  typeof days === 'number' ? `${days} ${days === 1 ? 'day' : 'days'}` : `\`${days}\``;
