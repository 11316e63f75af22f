/** PostgreSQL plans a prepared statement again for each of its first five uses; rarer statements are not worth the memory. */
const usesBefore = 3;
/** Each connection keeps a plan per name. Statements whose text varies with their input would fill the memory without a limit. */
const maxNames = 500;
const maxCounted = 5_000;
/** A plan made for short arrays is bad for long ones, and planning costs little compared with a query for a long array. */
const maxArrayLength = 32;

/**
 * Names under which connections keep parsed and planned statements. A name stands for one text in the whole process, so each connection
 * prepares it once.
 */
export class PreparedNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  #lastNumber = 0;

  /** Undefined for a statement that is planned on each use. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    if (values.length === 0 || values.some(isLong)) return undefined;
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= maxNames) return name;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBefore) {
      if (this.#uses.size >= maxCounted) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    this.#lastNumber += 1;
    const newName = `tributary_${this.#lastNumber}`;
    this.#names.set(text, newName);
    return newName;
  }

  /** Makes the next use get a new name, which no connection has prepared. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > maxArrayLength;

/**
 * Whether the statement only has to be prepared again because a migration changed its result or replaced a function, or a connection pooler
 * dropped it. It had no effect.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine, message = '' } = error as { code?: string; routine?: string; message?: string };
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  return code === '26000' || (code === 'XX000' && message.startsWith('cache lookup failed for function'));
}

/** For a statement that is a transaction of its own. */
export async function onceMore<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return run();
  }
}
