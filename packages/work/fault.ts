/** An error for a log or a list: what kind it is, and what it says without what it quotes. A message may quote a row, or what was sent. */
export function faultOf(error: unknown): string {
  const { name = 'Error', code, message = String(error) } = error as Error & { code?: string };
  const words = message
    .split('\n', 1)
    .join('')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`|\([^)]*\)/g, '…')
    .replace(/\S*@\S*|\d{5,}/g, '…');
  return `${name}${code ? ` ${code}` : ''}: ${words}`.slice(0, 300);
}
