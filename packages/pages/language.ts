/** The supported language that the browser prefers, or the first one if it prefers none of them. */
export function chooseLanguage<const Language extends string>(
  accepted: string | null,
  languages: readonly [Language, ...Language[]],
): Language {
  const preferences = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((preference, index) => {
      const [tag = '', ...parameters] = preference.split(';').map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
      return { language: tag.split('-')[0] ?? '', weight: Number.isFinite(weight) ? weight : 0, index };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.index - b.index);
  for (const { language } of preferences) {
    const supported = languages.find((one) => one === language);
    if (supported) return supported;
  }
  return languages[0];
}
