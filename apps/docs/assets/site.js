/** What pages of the documentation do besides being read: search without any server's help, and copy. */

const box = document.querySelector('.search');
const field = box.querySelector('input');
const list = box.querySelector('ul');
/** More than fit on a screen help nobody. */
const most = 10;
let index;
let chosen = -1;

box.hidden = false;
// Addresses of the reference from before it had a place of its own.
if (location.pathname === '/docs/' && location.hash.startsWith('#tag/'))
  location.replace(`/docs/reference${location.hash}`);
// On a narrow screen the page comes before the list of all pages.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('.contents').open = false;

/** Index and program are fetched when somebody searches, and not before. */
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
        // Guides answer questions; the history of a decision seldom does.
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
  const words = field.value.trim();
  const search = await open();
  // Somebody who types on is answered for what stands there now.
  if (words === field.value.trim()) show(words ? search.search(words).slice(0, most) : [], words);
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
  if (!box.contains(event.target)) show([], '');
});

function choose(options, at) {
  chosen = options.length > 0 ? (at + options.length) % options.length : -1;
  for (const [place, option] of options.entries())
    option.parentElement.setAttribute('aria-selected', String(place === chosen));
  const item = options[chosen]?.parentElement;
  if (item) field.setAttribute('aria-activedescendant', item.id);
  item?.scrollIntoView({ block: 'nearest' });
}

function show(found, words) {
  chosen = -1;
  field.removeAttribute('aria-activedescendant');
  const items = found.map(asItem);
  if (words && items.length === 0) items.push(element('li', { className: 'none', textContent: 'Nothing found.' }));
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
  field.setAttribute('aria-expanded', String(!list.hidden));
}

function asItem({ heading, page, address, text, terms }, place) {
  const link = element('a', { href: address, tabIndex: -1 });
  link.append(
    element('strong', { textContent: heading === page ? page : `${page}: ${heading}` }),
    element('span', { textContent: excerpt(text, terms) }),
  );
  const item = element('li', { id: `found-${place}` });
  item.setAttribute('role', 'option');
  item.setAttribute('aria-selected', 'false');
  item.append(link);
  return item;
}

/** The place where a word stands that was searched for. */
function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    Math.min(...terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0), text.length) - 40,
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
