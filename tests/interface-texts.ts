import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/**
 * Checks that the console takes its texts from the dictionaries in apps/console/source/words, one per language. A text typed into a
 * component would stay English in every language. tests/check.ts runs this check.
 */

const texts = 'apps/console/source/messages/';

/** Attributes and properties whose values are shown or read by screen readers. */
const textAttributes = new Set([
  'aria-label',
  'aria-description',
  'title',
  'about',
  'label',
  'placeholder',
  'alt',
  'caption',
]);

/** Elements whose text is not translated, such as addresses, and names of the product and of formats. */
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
  visit(parseSync(source, { syntax: 'typescript', tsx: path.endsWith('x') }), (text) => found.push(text));
  return found.map((text) => `${path} contains the text “${text.trim()}”; move it to ${texts}`);
}

function visit(value: unknown, report: (text: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, report);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const node = value as Node;
  if (isVerbatim(node)) return;
  for (const text of textsOf(node)) report(text);
  for (const [name, part] of Object.entries(node)) if (name !== 'span') visit(part, report);
}

/** Imports, errors for developers, and code that is shown as it is. */
function isVerbatim(node: Node): boolean {
  if (node.type === 'ImportDeclaration') return true;
  if (node.type === 'NewExpression') return nameOf(node.callee) === 'Error';
  return node.type === 'JSXElement' && verbatim.has(nameOf((node.opening as Node).name));
}

function textsOf(node: Node): string[] {
  if (node.type === 'JSXText') return [String(node.value)].filter(isText);
  if (node.type === 'StringLiteral') return [String(node.value)].filter(isSentence);
  if (node.type === 'TemplateElement') return [String(node.cooked)].filter(isSentence);
  const isAttribute = node.type === 'JSXAttribute' || node.type === 'KeyValueProperty';
  if (!isAttribute || !textAttributes.has(nameOf(node.name ?? node.key))) return [];
  const { type, value } = (node.value ?? {}) as Node;
  // Sentences are found as string literals.
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
  // Guards against a wrong pattern that matches no files and so finds nothing.
  if (files.length < 50) throw new Error(`Only ${files.length} files of the console were read.`);
  return files.flatMap((path) => findWrittenTexts(path, readFileSync(join(root, path), 'utf8')));
}
