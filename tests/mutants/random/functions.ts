import { parseSync } from 'oxc-parser';

/** A node of the ESTree that oxc-parser returns, read generically. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** An outermost function of a file, including the functions inside it. */
export interface SourceFunction {
  readonly name: string;
  readonly node: Node;
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

export function parse(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program as unknown as Node;
}

export function listFunctions(file: string, source: string): SourceFunction[] {
  const found: SourceFunction[] = [];
  const search = (node: Node, name: string): void => {
    if (functionTypes.includes(node.type)) found.push({ name: nameOf(node) ?? name, node });
    else for (const child of childrenOf(node)) search(child, nameOf(node) ?? name);
  };
  search(parse(file, source), '');
  return found;
}

/** The name given by a declaration, variable, property or method. */
function nameOf(node: Node): string | undefined {
  const named = (node.id ?? (node.type === 'NewExpression' ? undefined : node.key)) as Node | null | undefined;
  if (named?.type === 'Identifier' || named?.type === 'PrivateIdentifier') return String(named.name);
  return named?.type === 'Literal' ? String(named.value) : undefined;
}

/** The nodes directly inside a node, in the order of the source, without types. */
export function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => !['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'].includes(key))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .filter(({ type }) => !type.startsWith('TS') || /^TS(As|NonNull|Satisfies)/.test(type))
    .toSorted((one, other) => one.start - other.start);
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
