import type { ClickHouseSettings } from './settings.ts';

/** The settings that decide between single-node and cluster tables. */
export type Shape = Pick<ClickHouseSettings, 'database' | 'cluster'>;

/**
 * One SQL text serves a single node and a cluster. This expands the directives between double braces:
 *
 *     {{local visits}}                      the table that stores rows: visits, on a cluster visits_local
 *     {{engine ReplacingMergeTree(a, b)}}   that engine, on a replicated cluster its Replicated variant
 *     {{distributed visits by HASH}}        on a cluster the statement that creates visits over all visits_local; else nothing
 *     {{every visits}}                      repeats its statement for visits_local and visits; on a single node just visits
 */
export function expand(statement: string, shape: Shape): string {
  return statement.replaceAll(/\{\{(.*?)\}\}/g, (_, inside: string) => expandDirective(inside.trim(), shape));
}

/** Splits a text into single statements, because ClickHouse accepts one per request. */
export function statements(text: string, shape: Shape): string[] {
  return split(text)
    .flatMap((statement) => repeat(statement, shape))
    .map((statement) => expand(statement, shape).trim())
    .filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

function expandDirective(inside: string, shape: Shape): string {
  const [, directive, rest = ''] = /^(\w+)\s+(.+)$/.exec(inside) ?? [];
  switch (directive) {
    case 'local':
      return local(rest, shape);
    case 'engine':
      return engine(rest, shape);
    case 'distributed':
      return distributed(rest, shape);
    default:
      throw new Error(`{{${inside}}} is none of {{local ...}}, {{engine ...}}, {{distributed ...}} and {{every ...}}.`);
  }
}

function local(table: string, { cluster }: Shape): string {
  return cluster ? `${identifier(table)}_local` : identifier(table);
}

/**
 * The Keeper path contains the table's name: ClickHouse's default path has a random id, which replicas created one by
 * one would not share. The words in single braces are ClickHouse's own macros.
 */
function engine(text: string, { cluster }: Shape): string {
  if (!cluster?.replicated) return text;
  const [, name, rest] = /^(\w+)(?:\((.*)\))?$/.exec(text) ?? [];
  if (!name) throw new Error(`{{engine ${text}}} does not name an engine.`);
  const own = ["'/clickhouse/tables/{shard}/{database}/{table}'", "'{replica}'"];
  return `Replicated${name}(${[...own, ...(rest ? [rest] : [])].join(', ')})`;
}

function distributed(text: string, shape: Shape): string {
  const [, table, key] = /^(\w+) by (.+)$/.exec(text) ?? [];
  if (!table) throw new Error(`{{distributed ${text}}} should read {{distributed TABLE by KEY}}.`);
  if (!shape.cluster) return '';
  const over = [shape.cluster.name, shape.database, local(table, shape)].map((name) => `'${identifier(name)}'`);
  return `CREATE TABLE IF NOT EXISTS ${table} AS ${local(table, shape)} ENGINE = Distributed(${over.join(', ')}, ${key})`;
}

/** The local table first: a column that only the distributed table has would fail every query. */
function repeat(statement: string, shape: Shape): string[] {
  const every = /\{\{every (\w+)\}\}/g;
  const table = every.exec(statement)?.[1];
  if (!table) return [statement];
  const names = shape.cluster ? [local(table, shape), table] : [table];
  return names.map((name) => statement.replaceAll(every, name));
}

/** Splits at semicolons, except those in a comment or a string. */
function split(text: string): string[] {
  const pieces = [''];
  for (const [token] of text.matchAll(/--[^\n]*|'(?:[^'\\]|\\.)*'|[^;'-]+|[;'-]/g)) {
    if (token === ';') pieces.push('');
    else pieces[pieces.length - 1] += token;
  }
  return pieces;
}

/** Identifiers are inserted into statements unquoted, so anything else is rejected. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new Error(`"${name}" cannot name a database, table or cluster: use letters, digits and underscores only.`);
  }
  return name;
}
