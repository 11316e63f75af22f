import type { Change } from './change.ts';
import { childrenOf, isNode, type Node } from './functions.ts';
import { mutateSql } from './sql-mutators.ts';

type Mutator = (node: Node, text: (node: Node) => string, parent: Node | undefined) => Omit<Change, 'mutator'>[];

const swaps: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};

const methods: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['round', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['find', 'findLast'],
]);

/** Chained calls that can be dropped without changing the type of the chain. */
const links =
  /^(where|whereRef|andWhere|filter|orderBy|limit|offset|trim|toLowerCase|toUpperCase|sort|toSorted|reverse|toReversed|slice|distinct|forUpdate|normalize|replace|replaceAll|padStart|min|max|gt|gte|lt|lte|positive|nonnegative|int|regex|optional|nullable|strict)$/;

/** Follows Stryker's standard mutators, adds dropped filters, awaits, arguments and parts of SQL, and leaves out empty blocks. */
const mutators: Readonly<Record<string, Mutator>> = {
  boundary: (node, text) => swapOperator(node, text, ['<', '<=', '>', '>=']),
  equality: (node, text) => swapOperator(node, text, ['===', '!==']),
  arithmetic: (node, text) =>
    [node.left, node.right].some((side) => isNode(side) && isText(side))
      ? []
      : swapOperator(node, text, ['+', '-', '*', '/', '%']),
  logic: (node, text) => swapOperator(node, text, ['&&', '||']),
  fallback: (node, text) => (node.operator === '??' ? [replace(node, text(node.left as Node))] : []),
  condition: (node, text) => {
    const test = node.test;
    if (!['IfStatement', 'ConditionalExpression'].includes(node.type) || !isNode(test)) return [];
    const isGuard = node.type === 'IfStatement' && !node.alternate;
    return [replace(test, `!(${text(test)})`), ...(isGuard ? [replace(test, 'false')] : [])];
  },
  boolean: (node) =>
    node.type === 'Literal' && typeof node.value === 'boolean' ? [replace(node, String(!node.value))] : [],
  number: (node) => {
    if (node.type !== 'Literal') return [];
    if (typeof node.value === 'number') return [replace(node, String(node.value + 1))];
    return typeof node.bigint === 'string' ? [replace(node, `${BigInt(node.bigint) + 1n}n`)] : [];
  },
  string: (node, _, parent) =>
    isText(node) &&
    node.end - node.start > 2 &&
    ['BinaryExpression', 'Property', 'ReturnStatement', 'ConditionalExpression', 'LogicalExpression'].includes(
      parent?.type ?? '',
    ) &&
    parent?.key !== node
      ? [replace(node, "''")]
      : [],
  array: (node) =>
    node.type === 'ArrayExpression' && (node.elements as unknown[]).length > 0 ? [replace(node, '[]')] : [],
  await: (node, text) => (node.type === 'AwaitExpression' ? [replace(node, text(node.argument as Node))] : []),
  argument: (node, text) => {
    const list = argumentsOf(node);
    const [last, previous] = [list.at(-1), list.at(-2)];
    if (!last) return [];
    return [{ start: previous ? previous.end : last.start, end: last.end, replacement: '' }].filter(
      () => text(last) !== '',
    );
  },
  order: (node, text) => {
    const list = argumentsOf(node);
    return list.slice(1).flatMap((second, at) => {
      const first = list[at] as Node;
      if ([first, second].some((one) => isText(one) || /Function/.test(one.type))) return [];
      const between = text({ ...first, start: first.end, end: second.start });
      return [{ start: first.start, end: second.end, replacement: `${text(second)}${between}${text(first)}` }];
    });
  },
  link: (node) => {
    const callee = node.callee;
    if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return [];
    const [object, property] = [callee.object as Node, callee.property as Node];
    if (!links.test(String(property.name)) || object.name === 'Math') return [];
    return [{ start: object.end, end: node.end, replacement: '' }];
  },
  method: (node) => {
    const callee = node.callee;
    if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return [];
    const property = callee.property as Node;
    const other = callee.computed ? undefined : methods.get(String(property.name));
    return other ? [replace(property, other)] : [];
  },
  statement: (node, text) =>
    node.type === 'ExpressionStatement' && !/^'use|^"use/.test(text(node)) ? [replace(node, ';')] : [],
  optional: (node, text) => {
    if (node.optional !== true || !isNode(node.object ?? node.callee)) return [];
    const from = (node.object ?? node.callee) as Node;
    const rest = text({ ...node, start: from.end, end: node.end });
    return [replace(node, `${text(from)}${rest.replace(/^\?\.(?=[[(])/, '').replace(/^\?\./, '.')}`)];
  },
  property: (node) => {
    const list = (node.type === 'ObjectExpression' ? node.properties : []) as Node[];
    return list
      .map((one, at) => ({ start: at === 0 ? one.start : (list[at - 1] as Node).end, end: one.end, replacement: '' }))
      .map((change, at) => (at === 0 && list[1] ? { ...change, end: (list[1] as Node).start } : change));
  },
  sql: (node, text) => (isSql(node) ? mutateSql(text(node.quasi as Node), (node.quasi as Node).start) : []),
};

/** Every change that the mutators can make inside a function. */
export function listChanges(root: Node, source: string): Change[] {
  const text = ({ start, end }: Node) => source.slice(start, end);
  const visit = (node: Node, parent: Node | undefined): Change[] => {
    if (isMessage(node, text) || isReadOnly(node)) return [];
    const own = Object.entries(mutators).flatMap(([mutator, list]) =>
      list(node, text, parent).map((change) => ({ mutator, ...change })),
    );
    return [...own, ...childrenOf(node).flatMap((child) => visit(child, node))];
  };
  return visit(root, undefined).filter(({ start, end, replacement }) => {
    const removed = source.slice(start, end);
    return removed.trim() !== replacement.trim() && !onlyReadOnly.test(removed);
  });
}

/** Log lines and error messages, whose text need not be tested. */
function isMessage(node: Node, text: (node: Node) => string): boolean {
  const callee = node.callee;
  if (!isNode(callee)) return false;
  if (node.type === 'NewExpression') return /Error$/.test(text(callee));
  return /\b(log|logger|console)\??\.(trace|debug|info|warn|error|fatal|log)$/.test(text(callee));
}

/** A transaction that only reads does the same without `readOnly`, which is a safety net. */
const isReadOnly = ({ type, key, value }: Node): boolean =>
  type === 'Property' && (key as Node).name === 'readOnly' && (value as Node).type === 'Literal';

const onlyReadOnly = /^[\s,{]*readOnly: (true|false)[\s,}]*$/;

const isText = (node: Node): boolean =>
  (node.type === 'Literal' && typeof node.value === 'string') || node.type === 'TemplateLiteral';

const isSql = (node: Node): boolean =>
  node.type === 'TaggedTemplateExpression' && /^sql\b/.test(String((node.tag as Node).name ?? ''));

const argumentsOf = (node: Node): Node[] =>
  ['CallExpression', 'NewExpression'].includes(node.type) ? (node.arguments as Node[]) : [];

const replace = ({ start, end }: Node, replacement: string) => ({ start, end, replacement });

function swapOperator(node: Node, text: (node: Node) => string, operators: readonly string[]) {
  const operator = String(node.operator);
  if (!['BinaryExpression', 'LogicalExpression'].includes(node.type) || !operators.includes(operator)) return [];
  const [left, right] = [node.left as Node, node.right as Node];
  const between = { ...node, start: left.end, end: right.start };
  return [{ start: left.end, end: right.start, replacement: text(between).replace(operator, swaps[operator] ?? '') }];
}
