import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../docs/decisions');

/** docs/decisions/README.md: every decision record by number and title. */
export function decisionsPage(): string {
  const rows = readdirSync(folder)
    .filter((file) => /^\d{4}-.*\.md$/.test(file))
    .sort()
    .map((file) => {
      const [heading = ''] = readFileSync(join(folder, file), 'utf8').split('\n', 1);
      const [, number, title] = /^# (\d{4}): (.+)$/.exec(heading) ?? [];
      if (number !== file.slice(0, 4)) throw new Error(`${file} must begin with "# ${file.slice(0, 4)}: title".`);
      return `| [${number}](${file}) | ${title} |`;
    });
  return `# Decisions

Each record describes one decision that holds today, for engineers who change Tributary: context, decision, consequences
and alternatives. If a decision changes, change its record; git keeps the earlier text. Issues and commits from before
the renumbering cite [old numbers](numbers.md).

| number | decision |
| --- | --- |
${rows.join('\n')}
`;
}
