import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vocabulary from '@tributary/vocabulary';

/**
 * A closed list stands in packages/vocabulary and nowhere else, and so does a promised number; an attribution model has a rule and parts
 * of SQL. What can be told of that from the texts is told here; tests/check.ts asks.
 */

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export type Lists = ReadonlyMap<string, readonly string[]>;

/** Where words of a list may stand together all the same. */
export interface Exemption {
  /** How the path begins. */
  readonly path: string;
  readonly lists: readonly string[];
  readonly why: string;
  /** A copy that cannot be helped: it has to have every word of the list, and no other. */
  readonly isWhole?: true;
}

/** Two words may stand together by chance. */
const enough = 3;

/** The lists and tables that a module exports, by the name of the export; of a table its keys. */
export function listsOf(module: Readonly<Record<string, unknown>>): Lists {
  const found = Object.entries(module).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const words = Array.isArray(value) ? value : Object.keys(value);
    return words.every((word) => typeof word === 'string') ? [[name, words] as const] : [];
  });
  return new Map(found);
}

/**
 * Runs of quoted words, between commas or bars, most of which are of one list. Tables whose keys are such words are no copies: the
 * compiler says when one is missing.
 */
export function findCopies(files: readonly SourceFile[], lists: Lists, exemptions: readonly Exemption[]): string[] {
  return files.flatMap(({ path, text }) =>
    runsOf(text).flatMap((words) => {
      const list = listOf(words, lists);
      if (!list) return [];
      const exemption = exemptions.find((one) => path.startsWith(one.path) && one.lists.includes(list));
      if (exemption && (!exemption.isWhole || isSame(words, lists.get(list) ?? []))) return [];
      return [`${path} writes ${list} of packages/vocabulary once more: ${words.join(', ')}`];
    }),
  );
}

function listOf(words: readonly string[], lists: Lists): string | undefined {
  const [best] = [...lists]
    .map(([name, members]) => ({ name, hits: overlap(words, members), size: members.length }))
    .sort((a, b) => b.hits - a.hits || a.size - b.size);
  return best && best.hits >= enough && best.hits * 2 > words.length ? best.name : undefined;
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

/** A schema that chooses between words takes them from the vocabulary, however few they are. */
export const findWrittenEnums = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/\.enum\(\s*\[([^\]]*)\]/g)]
      .map(([, inside = '']) => wordsOf(inside))
      .filter((words) => words.length > 1)
      .map((words) => `${path} writes an enum out, which belongs into packages/vocabulary: ${words.join(', ')}`),
  );

/**
 * Lists that the ledger checks columns against are frozen in its migrations. One that shares words with a list of the vocabulary has to
 * be that list.
 */
export function findStaleChecks(schema: string, lists: Lists): string[] {
  const checks = [...schema.matchAll(/CONSTRAINT (\w+) CHECK .*?ARRAY\[([^\]]*)\]/g)];
  return checks.flatMap(([, name, inside = '']) => {
    const words = wordsOf(inside);
    if ([...lists.values()].some((members) => isSame(words, members))) return [];
    const near = [...lists].find(([, members]) => overlap(words, members) >= 2);
    return near ? [`${name} of packages/postgres/schema.sql is not what ${near[0]} says: ${words.join(', ')}`] : [];
  });
}

/** A number that nobody reads promises nothing. */
export function findUnreadLimits(files: readonly SourceFile[], limits: Readonly<Record<string, unknown>>): string[] {
  const text = files.map((file) => file.text).join('\n');
  const taken = new Set(
    [...text.matchAll(/const \{([^}]*)\} = limits;/g)].flatMap(([, names = '']) => names.match(/\w+/g)),
  );
  return Object.keys(limits)
    .filter((name) => !new RegExp(`\\blimits\\.${name}\\b`).test(text) && !taken.has(name))
    .map((name) => `limits.${name} of packages/vocabulary is read by nobody`);
}

/** What a model has to have: a rule, a part of SQL that reads it, and, where it divides, one that works it out. */
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

/** Which model is asked for is said by the name of a part, never by a comparison with an else that is another model's. */
export const findNamedModels = (files: readonly SourceFile[], models: readonly string[]): string[] =>
  files.flatMap(({ path, text }) =>
    models
      .filter((model) => withoutComments(text).includes(`'${model}'`))
      .map((model) => `${path} compares with ${model}; take the part that is named after the model`),
  );

const exemptions: readonly Exemption[] = [
  { path: 'bench/console.bench.ts', lists: ['sharedPages'], why: 'Screens that are measured, shared or not.' },
  {
    path: 'packages/contract/routes/',
    lists: ['credentialKinds', 'scopeNames'],
    why: 'A route chooses whom it serves, and for which scopes.',
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
    why: 'Checks from outside state what the specification says: with our own list they would follow its mistakes.',
  },
  { path: 'packages/market/demand/', lists: ['tacticNames'], why: 'Each simulated campaign has its tactic.' },
  { path: 'packages/market/', lists: ['conversionTypeNames'], why: 'The simulated shop has events of its own.' },
  { path: 'domain/advertising/campaigns/', lists: ['explainedFields', 'deliveryColumns'], why: 'Columns of tables.' },
  { path: 'apps/console/source/screens/', lists: ['explainedFields'], why: 'A screen chooses the figures it shows.' },
  {
    path: 'packages/providers/',
    lists: ['clickIdKindNames', 'paymentStatuses', 'learningStages'],
    why: 'Outside companies have words of their own, some of which are also ours.',
  },
  { path: 'apps/sandbox/', lists: ['paymentStatuses', 'learningStages'], why: 'The words of outside companies.' },
  { path: 'bench/replay-bare.sql', lists: ['devices'], why: 'It is raced against, and shares nothing with us.' },
  {
    path: 'tests/chaos/year',
    lists: ['conversionTypeNames', 'channelNames'],
    why: 'The books of a simulated shop share no code with the product.',
  },
  {
    path: 'tests/',
    lists: ['scopeNames', 'marketingChannelNames', 'explainedFields'],
    why: 'A test chooses what it tries.',
  },
];

/** Tests type words out on purpose, so that none changes unseen; migrations are frozen. */
const isLookedAt = (path: string): boolean =>
  !/(^|\/)(node_modules|dist|migrations|\.engines)\/|\.(test|fixture)\.tsx?$|\.generated\.|^packages\/postgres\/schema/.test(
    path,
  );

/** All that is wrong in the repository. */
export function findFaults(root: string): string[] {
  const files = globSync('{apps,bench,domain,packages,tests}/**/*.{ts,tsx,sql}', { cwd: root })
    .filter(isLookedAt)
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
