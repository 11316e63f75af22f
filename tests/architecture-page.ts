import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTable } from './runs.ts';

const root = join(import.meta.dirname, '..');

/** ARCHITECTURE.md with the diagram of the groups, in the order that the import rules enforce. */
export function architecturePage(): string {
  const groups: Record<string, readonly string[]> = JSON.parse(readFileSync(join(root, 'domain/groups.json'), 'utf8'));
  const boxes = Object.entries(groups).toReversed();
  const names = ['apps', ...boxes.map(([group]) => group), 'packages'];
  const lines = [
    '```mermaid',
    'flowchart TB',
    '  apps["<b>apps</b>: api, worker, collector, provider-webhooks, cli"]',
    ...boxes.map(([group, modules]) => `  ${group}["<b>${group}</b>: ${modules.join(', ')}"]`),
    '  packages["<b>packages</b>: operations, providers, stores, contract, rules, vocabulary"]',
    `  ${names.join(' --> ')}`,
    '```',
    '',
    'Every box may import all boxes below it and none above. Within a group, a module imports only modules to its left.',
  ];
  return withTable(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'), lines.join('\n'), 'groups');
}
