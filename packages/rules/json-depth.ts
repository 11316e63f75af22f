/** Deeper JSON is not legitimate, and recursive code would overflow the stack. */
export const maxJsonDepth = 64;

/** Counts brackets outside of strings, without parsing. */
export function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isText) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > maxJsonDepth) return true;
  }
  return false;
}
