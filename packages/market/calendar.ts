/**
 * Returns the day of a moment in a time zone, as YYYY-MM-DD. Zone offsets change at quarter hours only, so results
 * are cached per quarter hour.
 */
export function createCalendar(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const dayByQuarter = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / quarterMs);
    const day = dayByQuarter.get(quarter) ?? format.format(quarter * quarterMs);
    dayByQuarter.set(quarter, day);
    return day;
  };
}

const quarterMs = 15 * 60_000;
