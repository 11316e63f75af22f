import { expect, test } from 'vitest';
import { atServer } from './servers.ts';

test.each([
  ['postgres://me:secret@home:5432/tributary', 'east:5432/other', 'postgres://me:secret@east:5432/other'],
  ['postgres://me:secret@home:5432/tributary', 'east:5432', 'postgres://me:secret@east:5432/tributary'],
  ['postgres://me:p%40ss@one:1,two:2/db?sslmode=require', 'a:1,b:2', 'postgres://me:p%40ss@a:1,b:2/db?sslmode=require'],
  ['postgres://me:secret@home/db', 'east/db2', 'postgres://me:secret@east/db2'],
])('moves the address %s to server %s', (url, server, moved) => {
  expect(atServer(url, server)).toBe(moved);
});
