import { groups, type Settings } from './settings.ts';

/** Lists every invalid setting at once, so that an operator can fix all of them in one go. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `These settings are wrong; docs/configuration.md says what each may be.\n${problems.map((p) => `  ${p}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Reads the settings from an environment. An empty variable counts as unset. */
export function loadSettings(environment: Record<string, string | undefined>): Settings {
  const problems: string[] = [];
  const loaded: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(groups).flatMap(([, group]) => Object.entries(group))) {
    const text = environment[setting.variable] || setting.fallback;
    if (text === undefined) continue;
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) loaded[name] = parsed.data;
    else {
      const was = setting.secret ? '' : ` (it is "${text}")`;
      problems.push(`${setting.variable} ${parsed.error.issues[0]?.message ?? 'is not valid'}${was}`);
    }
  }
  if (problems.length > 0) throw new WrongSettings(problems);
  return loaded as Settings;
}
