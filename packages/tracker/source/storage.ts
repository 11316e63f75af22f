import { attempt } from './attempt.ts';
import { readCookies, writeCookie } from './cookies.ts';

/**
 * The data stored on the device. If storage is full, blocked or missing, values are kept in memory and lost with the page. All
 * All names share a prefix, so that all data can be found and deleted. Names and values contain only characters that are valid in
 * cookies.
 */
const prefix = 'tributary_';
const memory: Record<string, string> = {};

export function read(name: string): string | undefined {
  return memory[prefix + name] || attempt(() => localStorage.getItem(prefix + name)) || undefined;
}

export function write(name: string, value: string): void {
  memory[prefix + name] = value;
  attempt(() => {
    localStorage.setItem(prefix + name, value);
    delete memory[prefix + name];
  });
}

export function remove(name: string): void {
  delete memory[prefix + name];
  attempt(() => localStorage.removeItem(prefix + name));
}

/** The stored names with a prefix, sorted. */
export function listNames(start: string): string[] {
  return Object.keys(memory)
    .concat(attempt(() => Object.keys(localStorage)) || [])
    .filter((name) => name.startsWith(prefix + start))
    .map((name) => name.slice(prefix.length))
    .sort();
}

/** The cookie is read before localStorage: other subdomains and tabs see it, and see it immediately. */
export function readShared(name: string): string | undefined {
  return readCookies()[prefix + name] || read(name);
}

export function writeShared(name: string, value: string, seconds: number): void {
  write(name, value);
  writeCookie(prefix + name, value, seconds);
}

export function removeEverything(): void {
  for (const name of listNames('')) remove(name);
  for (const name of Object.keys(readCookies())) if (name.startsWith(prefix)) writeCookie(name, '', 0);
}
