/**
 * The last gate before text of a transcript becomes elements: only the tags and attributes that markdown.ts makes pass.
 * It returns a node of its own for each text, so that nothing is ever parsed twice; recent ones are kept for scrolling back.
 */
import DOMPurify from 'dompurify';
import { visible } from '../plain-text.ts';
import { markdownHtml } from './markdown.ts';

const kept = 400;
const cache = new Map<string, { readonly text: string; readonly element: HTMLElement }>();

/** `key`: the row's; the element may be in one place of the page only. */
export function markdownElement(key: string, text: string): HTMLElement {
  const known = cache.get(key);
  if (known?.text === text) {
    cache.delete(key);
    cache.set(key, known);
    return known.element;
  }
  const element = document.createElement('div');
  element.className = 'markdown';
  element.dir = 'auto';
  const html = markdownHtml(text);
  if (html === undefined) {
    const plain = document.createElement('pre');
    plain.textContent = visible(text);
    element.append(plain);
  } else element.append(sanitisedFragment(html));
  cache.set(key, { text, element });
  const oldest = cache.size > kept ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  return element;
}

export function sanitisedFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: [
      'class',
      'role',
      'tabindex',
      'title',
      'type',
      'start',
      'aria-label',
      'data-href',
      'data-path',
      'data-line',
      'data-copy',
      'data-language',
    ],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOW_UNKNOWN_PROTOCOLS: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

const tags =
  'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code em strong s a span div table thead tbody tr th td button #text'.split(
    ' ',
  );
