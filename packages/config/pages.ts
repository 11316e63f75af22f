import { groups } from './settings.ts';

/** Generates docs/configuration.md. */
export function configurationPage(): string {
  const parts = [
    '# Settings',
    '',
    'Made from packages/config/settings.ts by `npm run check -- --write`; do not edit by hand.',
    '',
  ];
  parts.push('All settings are environment variables. A wrong one is named at start, before anything listens.', '');
  for (const [title, group] of Object.entries(groups)) {
    parts.push(`## ${title}`, '', '| variable | what it is | when unset |', '|---|---|---|');
    for (const { variable, about, fallback } of Object.values(group)) {
      const unset = fallback === undefined ? 'not set' : fallback === '' ? 'empty' : `\`${fallback}\``;
      parts.push(`| \`${variable}\` | ${about.replaceAll('|', '\\|')} | ${unset} |`);
    }
    parts.push('');
  }
  return parts.join('\n');
}

/** Generates .env.example. */
export function environmentExample(): string {
  const parts = [
    '# Made from packages/config/settings.ts by `npm run check -- --write`. Copy to .env and change what you need.',
  ];
  for (const [title, group] of Object.entries(groups)) {
    parts.push('', `# ${title}`);
    for (const { variable, about, fallback } of Object.values(group))
      parts.push(`# ${about}`, `# ${variable}=${fallback ?? ''}`);
  }
  return `${parts.join('\n')}\n`;
}
