/** The progress of a long command on stderr: a bar with rate and time left on a terminal, a line every few seconds elsewhere. */
export function showProgress(what: string): (done: number, total: number) => void {
  const startedAt = performance.now();
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? 100 : 5_000;
  let shownAt = startedAt;
  let isOver = false;
  return (done, total) => {
    const now = performance.now();
    if (isOver || (now - shownAt < everyMs && done < total)) return;
    shownAt = now;
    isOver = done >= total;
    const rate = done / Math.max((now - startedAt) / 1_000, 0.001);
    const text = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what}, ${Math.round(rate)} a second, ${Math.ceil((total - done) / Math.max(rate, 0.001))} s left`;
    const bar = `[${'#'.repeat(Math.floor((done / Math.max(total, 1)) * 20)).padEnd(20, '.')}]`;
    process.stderr.write(isTTY ? `\r\x1b[K${bar} ${text}${done >= total ? '\n' : ''}` : `${text}\n`);
  };
}
