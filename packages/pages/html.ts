/** HTML that is safe to send. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

/** Builds HTML in which every value is escaped unless it is `Html` itself, so escaping cannot be forgotten. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Text of the error catalogue, in which `backticks` mark code. */
export function prose(text: string): Html {
  return new Html(escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>'));
}
