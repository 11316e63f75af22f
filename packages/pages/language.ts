/** The one of our languages that a browser likes best; the first of them where it likes none. */
export function chooseLanguage<const Language extends string>(
  accepted: string | null,
  languages: readonly [Language, ...Language[]],
): Language {
  const wishes = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((wish, place) => {
      const [tag = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
      return { language: tag.split('-')[0] ?? '', weight: Number.isFinite(weight) ? weight : 0, place };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.place - b.place);
  for (const { language } of wishes) {
    const ours = languages.find((one) => one === language);
    if (ours) return ours;
  }
  return languages[0];
}
