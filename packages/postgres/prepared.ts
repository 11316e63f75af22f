/** PostgreSQL itself plans a prepared statement anew for its first five uses; what is asked less often is not worth its memory. */
const usesBefore = 3;
/** Each connection keeps a plan of each. Statements whose text grows with their input would fill any memory. */
const mostNames = 500;
const mostCounted = 5_000;
/** A plan that was made for few is not good for many, and one for many is worth its making. */
const mostInArray = 32;

/**
 * Names under which connections keep parsed and planned statements. A name stands for one text in the whole process, so every
 * connection prepares it once.
 */
export class PreparedNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  #given = 0;

  /** Undefined where it is planned each time. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    if (values.length === 0 || values.some(isLong)) return undefined;
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= mostNames) return name;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < usesBefore) {
      if (this.#uses.size >= mostCounted) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    this.#given += 1;
    const given = `tributary_${this.#given}`;
    this.#names.set(text, given);
    return given;
  }

  /** The next use gets another name, which no connection has prepared. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > mostInArray;

/**
 * Whether the statement only has to be prepared anew: a migration changed what it answers or made a function of it anew, or whoever stands
 * between us and PostgreSQL has dropped it. Nothing of it was done.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine, message = '' } = error as { code?: string; routine?: string; message?: string };
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  return code === '26000' || (code === 'XX000' && message.startsWith('cache lookup failed for function'));
}

/** For a statement that is a transaction of its own. */
export async function onceMore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return ask();
  }
}
