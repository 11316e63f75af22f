import { attempt } from './attempt.ts';
import { readCookies, writeCookie } from './cookies.ts';

/**
 * What is kept on the device. Storage may be full, blocked or missing; whatever it refuses is kept in memory and gone with the page.
 * All names begin alike, so that all of it can be found and deleted. Names and values hold no character that a cookie could not.
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

/** The names of what is kept that begin with some letters, in order. */
export function names(beginning: string): string[] {
  return Object.keys(memory)
    .concat(attempt(() => Object.keys(localStorage)) || [])
    .filter((name) => name.startsWith(prefix + beginning))
    .map((name) => name.slice(prefix.length))
    .sort();
}

/** Of both homes the cookie is asked first: the site's other subdomains and tabs see it, and see it at once. */
export function readShared(name: string): string | undefined {
  return readCookies()[prefix + name] || read(name);
}

export function writeShared(name: string, value: string, seconds: number): void {
  write(name, value);
  writeCookie(prefix + name, value, seconds);
}

export function removeEverything(): void {
  for (const name of names('')) remove(name);
  for (const name of Object.keys(readCookies())) if (name.startsWith(prefix)) writeCookie(name, '', 0);
}
