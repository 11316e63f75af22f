import { type Language, languages } from '@tributary/vocabulary';
import { chooseLanguage } from '../messages/choose-language.ts';
import { t } from '../messages/index.ts';
import { language, languageTitles } from '../messages/language.ts';

/** Lists each language by its own name. */
export function LanguagePicker({ className = '' }: { readonly className?: string }) {
  return (
    <label className={`block ${className}`}>
      <span className="label block">{t.frame.language}</span>
      <select
        className="field mt-1 w-full"
        value={language}
        onChange={({ target }) => chooseLanguage(target.value as Language)}
      >
        {languages.map((one) => (
          <option key={one} value={one} lang={one}>
            {languageTitles[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
