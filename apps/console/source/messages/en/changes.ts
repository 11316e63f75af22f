/** Sentences about the effect of each cause on a figure. */
export const changes = {
  changedConversions: (count: number, isMoney: boolean) =>
    `${count} ${isMoney ? 'payment' : 'conversion'}${count === 1 ? '' : 's'}`,
  causeSentences: {
    outcome_recorded: (them, count) => `${them} ${count === 1 ? 'was' : 'were'} recorded later`,
    refund: (them, count) => `${them} ${count === 1 ? 'was' : 'were'} refunded`,
    merge: (them, count) => `${them} of merged customers ${count === 1 ? 'was' : 'were'} attributed again`,
    split: (them, count) => `${them} ${count === 1 ? 'was' : 'were'} attributed again after a merge was undone`,
    match: (them, count) =>
      `${them} ${count === 1 ? 'was' : 'were'} matched with another record of the same sale, or counted separately again`,
    late_visit: (them, count) => `${them} ${count === 1 ? 'has' : 'have'} visits that arrived late`,
    replay: (them, count) => `${them} ${count === 1 ? 'was' : 'were'} attributed again`,
  } as Readonly<Record<string, (them: string, count: number) => string>>,
};
