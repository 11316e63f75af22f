/** The day of a moment in a time zone, as YYYY-MM-DD. Zones change their offset at a full quarter of an hour, so one look-up serves it. */
export function createCalendar(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / quarterMs);
    const day = known.get(quarter) ?? format.format(quarter * quarterMs);
    known.set(quarter, day);
    return day;
  };
}

const quarterMs = 15 * 60_000;
