import type { ClickHouseSettings } from './settings.ts';

/** The part of the settings that decides how the tables stand. */
export type Shape = Pick<ClickHouseSettings, 'database' | 'cluster'>;

/**
 * One SQL text serves a single node and a cluster. It says what it means between double braces, and this writes it out:
 *
 *     {{local visits}}                      the table that holds rows: visits, on a cluster visits_local
 *     {{engine ReplacingMergeTree(a, b)}}   that engine, on a replicated cluster its Replicated sister
 *     {{distributed visits by HASH}}        on a cluster the statement that makes visits over all visits_local; else nothing
 *     {{every visits}}                      repeats its statement for visits_local and visits; on a single node just visits
 */
export function expand(statement: string, shape: Shape): string {
  return statement.replaceAll(/\{\{(.*?)\}\}/g, (_, inside: string) => write(inside.trim(), shape));
}

/** A text of several statements, one by one, because the engine takes no more at a time. */
export function statements(text: string, shape: Shape): string[] {
  return split(text)
    .flatMap((statement) => repeat(statement, shape))
    .map((statement) => expand(statement, shape).trim())
    .filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

function write(inside: string, shape: Shape): string {
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
 * The path in Keeper is spelt with the table's name: the engine's default holds a random id, which replicas made one by one
 * would not share. The words in single braces are the engine's own macros.
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

/** Rows first: a column that the upper table has and a shard has not would fail every query. */
function repeat(statement: string, shape: Shape): string[] {
  const every = /\{\{every (\w+)\}\}/g;
  const table = every.exec(statement)?.[1];
  if (!table) return [statement];
  const names = shape.cluster ? [local(table, shape), table] : [table];
  return names.map((name) => statement.replaceAll(every, name));
}

/** Cuts at semicolons, but not at those in a comment or a string. */
function split(text: string): string[] {
  const pieces = [''];
  for (const [token] of text.matchAll(/--[^\n]*|'(?:[^'\\]|\\.)*'|[^;'-]+|[;'-]/g)) {
    if (token === ';') pieces.push('');
    else pieces[pieces.length - 1] += token;
  }
  return pieces;
}

/** Names are written into statements as they are, so they may be nothing but names. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new Error(`"${name}" cannot name a database, table or cluster: use letters, digits and underscores only.`);
  }
  return name;
}
