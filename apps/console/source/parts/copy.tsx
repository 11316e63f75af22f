import { useState } from 'react';
import { t } from '../messages/index.ts';

/** Copies a text to the clipboard and confirms it. */
export function Copy({ text, about }: { readonly text: string; readonly about: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button"
      aria-label={t.common.copyOf(about)}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? t.common.copied : t.common.copy}
    </button>
  );
}
