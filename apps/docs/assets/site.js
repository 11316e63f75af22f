/** Search in the browser, and copy buttons for code blocks. */

const searchBox = document.querySelector('.search');
const field = searchBox.querySelector('input');
const list = searchBox.querySelector('ul');
/** Results that fit on one screen. */
const maxResults = 10;
let index;
let chosen = -1;

searchBox.hidden = false;
// Redirects old URLs of the API reference, which was at /docs before it had its own page.
if (location.pathname === '/docs/' && location.hash.startsWith('#tag/'))
  location.replace(`/docs/reference${location.hash}`);
// On a narrow screen the page comes before the list of all pages.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('.contents').open = false;

/** The index and MiniSearch are fetched only when the search field gets focus. */
function open() {
  index ??= Promise.all([
    import(new URL('minisearch.js', import.meta.url)),
    fetch('/docs/assets/search.json').then((answer) => answer.json()),
  ]).then(([{ default: MiniSearch }, sections]) => {
    const search = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['heading', 'page', 'address', 'text'],
      searchOptions: {
        boost: { heading: 4, page: 3 },
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        combineWith: 'AND',
        // Guides answer questions better than decision records and changelogs.
        boostDocument: (_id, _term, { address }) =>
          /\/(decisions|changelog|benchmarks|drills)\//.test(address) ? 0.3 : 1,
      },
    });
    search.addAll(sections.map((section, id) => ({ ...section, id })));
    return search;
  });
  return index;
}

field.addEventListener('focus', open, { once: true });
field.addEventListener('input', async () => {
  const query = field.value.trim();
  const search = await open();
  // Ignores the results of an earlier input if the text has changed since.
  if (query === field.value.trim()) show(query ? search.search(query).slice(0, maxResults) : [], query);
});

field.addEventListener('keydown', (event) => {
  const options = [...list.querySelectorAll('a')];
  if (event.key === 'Escape') show([], '');
  else if (event.key === 'Enter') (options[chosen] ?? options[0])?.click();
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    choose(options, chosen + (event.key === 'ArrowDown' ? 1 : -1));
  }
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea')) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener('click', (event) => {
  if (!searchBox.contains(event.target)) show([], '');
});

function choose(options, at) {
  chosen = options.length > 0 ? (at + options.length) % options.length : -1;
  for (const [position, option] of options.entries())
    option.parentElement.setAttribute('aria-selected', String(position === chosen));
  const item = options[chosen]?.parentElement;
  if (item) field.setAttribute('aria-activedescendant', item.id);
  item?.scrollIntoView({ block: 'nearest' });
}

function show(results, query) {
  chosen = -1;
  field.removeAttribute('aria-activedescendant');
  const items = results.map(renderResult);
  if (query && items.length === 0) items.push(element('li', { className: 'none', textContent: 'Nothing found.' }));
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
  field.setAttribute('aria-expanded', String(!list.hidden));
}

function renderResult({ heading, page, address, text, terms }, position) {
  const link = element('a', { href: address, tabIndex: -1 });
  link.append(
    element('strong', { textContent: heading === page ? page : `${page}: ${heading}` }),
    element('span', { textContent: excerpt(text, terms) }),
  );
  const item = element('li', { id: `results-${position}` });
  item.setAttribute('role', 'option');
  item.setAttribute('aria-selected', 'false');
  item.append(link);
  return item;
}

/** A part of the text around the first matching term. */
function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    Math.min(...terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0), text.length) - 40,
  );
  const begin = at >= text.length - 40 ? 0 : at;
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + 140).trim()}`;
}

for (const code of document.querySelectorAll('main pre')) {
  const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  const frame = element('div', { className: 'code' });
  code.replaceWith(frame);
  frame.append(code, button);
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
