import { existsSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, 'node_modules');

/**
 * The path of a tool: in its vendor's package for this platform, or where its install script puts it. Undefined until `npm ci` ran in this folder.
 */
const findTool = (...places: readonly string[]): string | undefined =>
  places.map((place) => join(modules, place)).find((place) => existsSync(place));

export const tools = {
  deno: findTool('@deno/linux-x64-glibc/deno', '@deno/linux-arm64-glibc/deno', '@deno/darwin-arm64/deno'),
  bun: findTool('@oven/bun-linux-x64/bin/bun', 'bun/bin/bun.exe'),
  publint: findTool('.bin/publint'),
  attw: findTool('.bin/attw'),
} as const;
