import { type ChangeKind, changeKinds } from '@tributary/vocabulary';
import { CalendarDate } from './primitives.ts';

export interface ChangelogEntry {
  date: string;
  changes: { kind: ChangeKind; text: string }[];
}

/**
 * Parses CHANGELOG.md, which the API serves. It is strict, because a skipped line would go unnoticed. After the introduction only
 * `## YYYY-MM-DD` headings are allowed, newest first, each with lines of the form `- **Kind** text`.
 */
export function parseChangelog(text: string): ChangelogEntry[] {
  const entries: ChangelogEntry[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const complain = (what: string) => new Error(`CHANGELOG.md, line ${index + 1}: ${what}`);
    const latest = entries.at(-1);
    if (line.startsWith('## ')) {
      const date = line.slice(3).trim();
      if (!CalendarDate.safeParse(date).success) throw complain(`"${date}" is not a date written YYYY-MM-DD.`);
      if (latest && date >= latest.date) throw complain(`${date} stands below ${latest.date}; put the newest first.`);
      if (latest?.changes.length === 0) throw complain(`nothing is said of ${latest.date}, the day above.`);
      entries.push({ date, changes: [] });
    } else if (latest && line.trim() !== '') {
      latest.changes.push(parseChange(line, complain));
    }
  }
  if (entries.at(-1)?.changes.length === 0)
    throw new Error(`CHANGELOG.md: nothing is said of ${entries.at(-1)?.date}.`);
  return entries;
}

function parseChange(line: string, complain: (what: string) => Error): ChangelogEntry['changes'][number] {
  const [, word, said] = /^- \*\*(\w+)\*\* (\S.*)$/.exec(line.trimEnd()) ?? [];
  if (!word || !said) throw complain('a change is one line, written "- **Kind** what changed".');
  const kind = changeKinds.find((each) => each === word);
  if (!kind) throw complain(`"${word}" is not one of ${changeKinds.join(', ')}.`);
  return { kind, text: said };
}
