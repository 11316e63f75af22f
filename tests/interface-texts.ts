import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/**
 * What people read in the console stands in its dictionaries, apps/console/source/messages, once for each language. A text that is written
 * into a component would stay English for everybody. tests/check.ts asks.
 */

const texts = 'apps/console/source/messages/';

/** Attributes and properties that are read or heard. */
const readAloud = new Set([
  'aria-label',
  'aria-description',
  'title',
  'about',
  'label',
  'placeholder',
  'alt',
  'caption',
]);

/** What is typed as it stands: addresses, names of the product and of a format. */
const verbatim = new Set(['code', 'kbd', 'pre']);
const isName = (text: string): boolean => /^(https:.*|Tributary|CSV)$/.test(text.trim());

const isText = (text: string): boolean => /\p{L}{2}/u.test(text) && !isName(text);
const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}+ \p{Ll}/u.test(text);

interface Node {
  readonly type?: string;
  readonly [field: string]: unknown;
}

export function findWrittenTexts(path: string, source: string): string[] {
  const found: string[] = [];
  look(parseSync(source, { syntax: 'typescript', tsx: path.endsWith('x') }), (text) => found.push(text));
  return found.map((text) => `${path} says “${text.trim()}” by itself; its place is ${texts}`);
}

function look(value: unknown, tell: (text: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) look(item, tell);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const node = value as Node;
  if (isVerbatim(node)) return;
  for (const text of textsOf(node)) tell(text);
  for (const [name, part] of Object.entries(node)) if (name !== 'span') look(part, tell);
}

/** Imports, what is thrown at developers, and what a reader types as it stands. */
function isVerbatim(node: Node): boolean {
  if (node.type === 'ImportDeclaration') return true;
  if (node.type === 'NewExpression') return nameOf(node.callee) === 'Error';
  return node.type === 'JSXElement' && verbatim.has(nameOf((node.opening as Node).name));
}

function textsOf(node: Node): string[] {
  if (node.type === 'JSXText') return [String(node.value)].filter(isText);
  if (node.type === 'StringLiteral') return [String(node.value)].filter(isSentence);
  if (node.type === 'TemplateElement') return [String(node.cooked)].filter(isSentence);
  const isRead = node.type === 'JSXAttribute' || node.type === 'KeyValueProperty';
  if (!isRead || !readAloud.has(nameOf(node.name ?? node.key))) return [];
  const { type, value } = (node.value ?? {}) as Node;
  // A sentence is found on its own.
  return type === 'StringLiteral' ? [String(value)].filter((text) => isText(text) && !isSentence(text)) : [];
}

const nameOf = (node: unknown): string => {
  const { value, name } = (node ?? {}) as Node;
  return typeof value === 'string' ? value : typeof name === 'string' ? name : '';
};

export function writtenTexts(root: string): string[] {
  const files = globSync('apps/console/source/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.startsWith(texts) && !path.endsWith('.test.ts'),
  );
  // A look that reads nothing finds nothing.
  if (files.length < 50) throw new Error(`Only ${files.length} files of the console were read.`);
  return files.flatMap((path) => findWrittenTexts(path, readFileSync(join(root, path), 'utf8')));
}
