/** The same for the same word, and made once. For a batch, where words come again: what it remembers goes with it. */
export function remembering<Made>(make: (word: string) => Made): (word: string) => Made {
  const known = new Map<string, Made>();
  return (word) => {
    let made = known.get(word);
    if (made === undefined) {
      made = make(word);
      known.set(word, made);
    }
    return made;
  };
}
