import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** A call of `test`, `it` or `describe` in a source file, possibly with modifiers: `test.each(rows)('title', ...)`. */
export interface TitledCall {
  readonly file: string;
  readonly title: string;
  /** `['test', 'each']`, `['describe']`. */
  readonly callee: readonly string[];
  /** The keys of the options between title and function. */
  readonly options: readonly string[];
}

type Node = { readonly type?: string } & Record<string, unknown>;

const callers: readonly string[] = ['test', 'it', 'describe'];

/** The calls in every test file, read from the source, so that skipped tests are included. */
export function titledCalls(root: string): readonly TitledCall[] {
  return sources(root, '*.test.{ts,tsx}').flatMap(([file, source]) => titledCallsOf(file, source));
}

/**
 * Every string in tests and in their tables of cases, because a row may contain part of the title: `test.each([['[eras-024] a key', ...]])('%s')`.
 */
export function textsOfTests(root: string): ReadonlyMap<string, readonly string[]> {
  return new Map(sources(root, '*.{test,cases}.{ts,tsx}').map(([file, source]) => [file, textsOf(file, source)]));
}

function sources(root: string, name: string): (readonly [file: string, source: string])[] {
  const files = globSync(`{apps,bench,domain,packages,tests}/**/${name}`, {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  return files.sort().map((file) => [file, readFileSync(join(root, file), 'utf8')]);
}

const parsed = (file: string, source: string) => parseSync(source, { syntax: 'typescript', tsx: file.endsWith('x') });

export function textsOf(file: string, source: string): readonly string[] {
  const texts: string[] = [];
  seek(parsed(file, source), (node) => {
    const text = textOf(node);
    if (text !== undefined) texts.push(text);
  });
  return texts;
}

export function titledCallsOf(file: string, source: string): readonly TitledCall[] {
  const found: TitledCall[] = [];
  seek(parsed(file, source), (call) => {
    if (call.type !== 'CallExpression') return;
    const callee = namesOf(call.callee as Node);
    const [first, ...others] = (call.arguments as { expression: Node }[]).map(({ expression }) => expression);
    const title = first && textOf(first);
    if (title === undefined || !callers.includes(callee[0] as string)) return;
    found.push({ file, title, callee, options: others.flatMap(keysOf) });
  });
  return found;
}

function seek(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node as Node);
  for (const value of Object.values(node)) if (typeof value === 'object') seek(value, visit);
}

function namesOf(node: Node): string[] {
  if (node.type === 'Identifier') return [node.value as string];
  if (node.type === 'MemberExpression')
    return [...namesOf(node.object as Node), (node.property as Node).value as string];
  if (node.type === 'CallExpression') return namesOf(node.callee as Node);
  if (node.type === 'TaggedTemplateExpression') return namesOf(node.tag as Node);
  return [];
}

function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value as string;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { raw: string }[]).map(({ raw }) => raw).join('*');
}

function keysOf(node: Node): string[] {
  if (node.type !== 'ObjectExpression') return [];
  return (node.properties as Node[]).map((property) => ((property.key as Node | undefined)?.value ?? '') as string);
}
