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

Each page records one larger decision: the context, what was decided, the consequences and the alternatives. A decision
that no longer holds is not rewritten. A new one says that it replaces it.

| number | decision |
| --- | --- |
${rows.join('\n')}
`;
}
