/** Prints a bar with rate and time left on a terminal, plain lines every few seconds elsewhere. */
export function progressPrinter(label: string): (done: number, total: number, note?: string) => void {
  const startedAt = Date.now();
  const everyMs = process.stderr.isTTY ? 100 : 5_000;
  let printedAt = 0;
  return (done, total, note = '') => {
    const now = Date.now();
    if (now - printedAt < everyMs && done < total) return;
    printedAt = now;
    const seconds = Math.max((now - startedAt) / 1_000, 0.001);
    const rate = done / seconds;
    const left = rate > 0 ? Math.ceil((total - done) / rate) : Number.NaN;
    const share = total > 0 ? done / total : 1;
    const text = `${label} ${Math.floor(share * 100)}% ${done.toLocaleString('en')}/${total.toLocaleString('en')} ${Math.round(rate).toLocaleString('en')}/s, ${left} s left ${note}`;
    if (process.stderr.isTTY)
      process.stderr.write(
        `\r\x1b[K[${'#'.repeat(Math.floor(share * 20)).padEnd(20, '.')}] ${text}${done >= total ? '\n' : ''}`,
      );
    else process.stderr.write(`${text}\n`);
  };
}
