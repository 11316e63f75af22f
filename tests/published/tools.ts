import { existsSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, 'node_modules');

/** Where a tool may be: its makers' package for this machine, or where its install script puts it. Absent until `npm ci` ran in this folder. */
const whereOf = (...places: readonly string[]): string | undefined =>
  places.map((place) => join(modules, place)).find((place) => existsSync(place));

export const tools = {
  deno: whereOf('@deno/linux-x64-glibc/deno', '@deno/linux-arm64-glibc/deno', '@deno/darwin-arm64/deno'),
  bun: whereOf('@oven/bun-linux-x64/bin/bun', 'bun/bin/bun.exe'),
  publint: whereOf('.bin/publint'),
  attw: whereOf('.bin/attw'),
} as const;
