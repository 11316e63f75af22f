/** An error as text for a log or a list, without quoted values and long numbers: they may come from rows or messages with personal data. */
export function faultOf(error: unknown): string {
  const { name = 'Error', code, message = String(error) } = error as Error & { code?: string };
  const text = message
    .split('\n', 1)
    .join('')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`|\([^)]*\)/g, '…')
    .replace(/\S*@\S*|\d{5,}/g, '…');
  return `${name}${code ? ` ${code}` : ''}: ${text}`.slice(0, 300);
}
