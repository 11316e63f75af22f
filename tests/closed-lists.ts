import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vocabulary from '@tributary/vocabulary';

/**
 * Checks that closed lists and limits are defined only in packages/vocabulary, and that each attribution model has its rule and its parts
 * of SQL. The checks read source text; tests/check.ts runs them.
 */

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export type Lists = ReadonlyMap<string, readonly string[]>;

/** Allows a path to repeat words of some lists. */
export interface Exemption {
  /** The beginning of the path. */
  readonly path: string;
  readonly lists: readonly string[];
  readonly why: string;
  /** An unavoidable copy: it must have exactly the words of the list. */
  readonly isWhole?: true;
}

/** The number of words that make a copy; two may occur together by chance. */
const copySize = 3;

/** The lists and tables that a module exports, by export name. For a table, its keys. */
export function listsOf(module: Readonly<Record<string, unknown>>): Lists {
  const found = Object.entries(module).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const words = Array.isArray(value) ? value : Object.keys(value);
    return words.every((word) => typeof word === 'string') ? [[name, words] as const] : [];
  });
  return new Map(found);
}

/**
 * Finds runs of quoted words, separated by commas or bars, most of which belong to one list. Tables keyed by such words are not copies,
 * because the compiler reports a missing key.
 */
export function findCopies(files: readonly SourceFile[], lists: Lists, exemptions: readonly Exemption[]): string[] {
  return files.flatMap(({ path, text }) =>
    runsOf(text).flatMap((words) => {
      const list = listOf(words, lists);
      if (!list) return [];
      const exemption = exemptions.find((one) => path.startsWith(one.path) && one.lists.includes(list));
      if (exemption && (!exemption.isWhole || isSame(words, lists.get(list) ?? []))) return [];
      return [`${path} repeats ${list} of packages/vocabulary: ${words.join(', ')}`];
    }),
  );
}

function listOf(words: readonly string[], lists: Lists): string | undefined {
  const [best] = [...lists]
    .map(([name, members]) => ({ name, hits: overlap(words, members), size: members.length }))
    .sort((a, b) => b.hits - a.hits || a.size - b.size);
  return best && best.hits >= copySize && best.hits * 2 > words.length ? best.name : undefined;
}

const overlap = (words: readonly string[], members: readonly string[]): number =>
  words.filter((word) => members.includes(word)).length;

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && overlap(a, b) === a.length;

const quoted = /'([^'\n]*)'(?:::\w+)?/;
const runs = new RegExp(`${quoted.source}(?:\\s*[,|]\\s*${quoted.source})+`, 'g');
const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(new RegExp(quoted, 'g'))].map(([, word = '']) => word)),
];
const runsOf = (text: string): string[][] => [...withoutComments(text).matchAll(runs)].map(([run]) => wordsOf(run));
const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*(\/\/|--).*$/gm, '');

/** Finds enums in schemas that are typed out instead of imported from the vocabulary, however short they are. */
export const findWrittenEnums = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/\.enum\(\s*\[([^\]]*)\]/g)]
      .map(([, inside = '']) => wordsOf(inside))
      .filter((words) => words.length > 1)
      .map((words) => `${path} types out an enum that belongs in packages/vocabulary: ${words.join(', ')}`),
  );

/**
 * Finds CHECK constraints of PostgreSQL, written in migrations, that share words with a list of the vocabulary without being equal to it.
 */
export function findStaleChecks(schema: string, lists: Lists): string[] {
  const checks = [...schema.matchAll(/CONSTRAINT (\w+) CHECK .*?ARRAY\[([^\]]*)\]/g)];
  return checks.flatMap(([, name, inside = '']) => {
    const words = wordsOf(inside);
    if ([...lists.values()].some((members) => isSame(words, members))) return [];
    const near = [...lists].find(([, members]) => overlap(words, members) >= 2);
    return near ? [`${name} of packages/postgres/schema.sql differs from ${near[0]}: ${words.join(', ')}`] : [];
  });
}

/** Finds limits that no code reads. */
export function findUnreadLimits(files: readonly SourceFile[], limits: Readonly<Record<string, unknown>>): string[] {
  const text = files.map((file) => file.text).join('\n');
  const destructured = new Set(
    [...text.matchAll(/const \{([^}]*)\} = limits;/g)].flatMap(([, names = '']) => names.match(/\w+/g)),
  );
  return Object.keys(limits)
    .filter((name) => !new RegExp(`\\blimits\\.${name}\\b`).test(text) && !destructured.has(name))
    .map((name) => `limits.${name} of packages/vocabulary is never read`);
}

/** Finds attribution models without a rule, a part of SQL, or, if they divide the credit, a part that computes the shares. */
export function findIncompleteModels(
  models: Readonly<Record<string, { readonly credit: 'single' | 'multiple' }>>,
  exists: (path: string) => boolean,
): string[] {
  return Object.entries(models).flatMap(([model, { credit }]) => {
    const part = (name: string) => `packages/clickhouse/parts/${name}_${model}.sql`;
    const needed = [
      [`packages/rules/attribution/models/${model}.ts`],
      [part(credit === 'single' ? 'place' : 'shares')],
      ...(credit === 'multiple' ? [[part('weigh'), part('further')]] : []),
    ];
    return needed
      .filter((paths) => !paths.some(exists))
      .map((paths) => `The attribution model ${model} has no ${paths.join(' or ')}`);
  });
}

/** Finds SQL that compares with a model's name, because its else branch would be another model. Queries select a part by its name. */
export const findNamedModels = (files: readonly SourceFile[], models: readonly string[]): string[] =>
  files.flatMap(({ path, text }) =>
    models
      .filter((model) => withoutComments(text).includes(`'${model}'`))
      .map((model) => `${path} compares with ${model}; use the part that is named after the model`),
  );

const exemptions: readonly Exemption[] = [
  {
    path: 'bench/console.bench.ts',
    lists: ['sharedPages'],
    why: 'The measured screens include some that cannot be shared.',
  },
  {
    path: 'packages/contract/routes/',
    lists: ['credentialKinds', 'scopeNames'],
    why: 'A route lists the credential kinds and scopes that it accepts.',
  },
  { path: 'packages/contract/routes/', lists: ['conversionTypeNames', 'adPlatformNames'], why: 'Examples.' },
  {
    path: 'packages/tracker/source/',
    lists: ['visitTraits', 'visitTypes'],
    why: 'The tracker imports nothing, to stay small.',
    isWhole: true,
  },
  {
    path: 'apps/cli/conformance/',
    lists: [
      'actionSources',
      'attributionModelNames',
      'entityLevels',
      'handoffProviders',
      'oauthScopes',
      'partnerTouchStatuses',
      'scopeNames',
      'scoreWindows',
    ],
    why: 'These checks repeat the specification independently; with our list they would share its mistakes.',
  },
  { path: 'packages/market/demand/', lists: ['tacticNames'], why: 'Each simulated campaign has its tactic.' },
  { path: 'packages/market/', lists: ['conversionTypeNames'], why: 'The simulated shop defines its own events.' },
  { path: 'domain/advertising/campaigns/', lists: ['explainedFields', 'deliveryColumns'], why: 'Columns of tables.' },
  { path: 'apps/console/source/screens/', lists: ['explainedFields'], why: 'A screen chooses the figures it shows.' },
  {
    path: 'packages/providers/',
    lists: ['clickIdKindNames', 'paymentStatuses', 'learningStages'],
    why: 'Some terms of the providers equal ours.',
  },
  { path: 'apps/sandbox/', lists: ['paymentStatuses', 'learningStages'], why: 'The terms of the simulated providers.' },
  {
    path: 'bench/replay-bare.sql',
    lists: ['devices'],
    why: 'The bench compares with it, so it shares no code with the product.',
  },
  {
    path: 'tests/chaos/year',
    lists: ['conversionTypeNames', 'channelNames'],
    why: 'The expected figures of a simulated shop share no code with the product.',
  },
  {
    path: 'tests/',
    lists: ['scopeNames', 'marketingChannelNames', 'explainedFields'],
    why: 'A test chooses the values that it tries.',
  },
];

/** Leaves out tests, which type words out on purpose so that a change is noticed, and migrations, which are frozen. */
const isChecked = (path: string): boolean =>
  !/(^|\/)(node_modules|dist|migrations|\.engines)\/|\.(test|fixture)\.tsx?$|\.generated\.|^packages\/postgres\/schema/.test(
    path,
  );

/** Runs all checks of this file on the repository. */
export function findFaults(root: string): string[] {
  const files = globSync('{apps,bench,domain,packages,tests}/**/*.{ts,tsx,sql}', { cwd: root })
    .filter(isChecked)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const { limits, reservedLimits, ...words } = vocabulary;
  const lists = listsOf(words);
  const inFolder = (...folders: readonly string[]) =>
    files.filter(({ path }) => folders.some((folder) => path.startsWith(folder)));
  return [
    ...findCopies(
      files.filter(({ path }) => !path.startsWith('packages/vocabulary/')),
      lists,
      exemptions,
    ),
    ...findWrittenEnums(inFolder('packages/contract/')),
    ...findStaleChecks(readFileSync(join(root, 'packages/postgres/schema.sql'), 'utf8'), lists),
    ...findUnreadLimits(inFolder('apps/', 'domain/', 'packages/'), limits),
    ...findIncompleteModels(vocabulary.attributionModels, (path) => existsSync(join(root, path))),
    ...findNamedModels(
      inFolder('packages/clickhouse/queries/', 'packages/clickhouse/parts/'),
      vocabulary.attributionModelNames,
    ),
  ];
}
